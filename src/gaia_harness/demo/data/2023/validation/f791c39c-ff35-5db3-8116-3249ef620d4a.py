"""Admission machine, Museum of Small Wonders. Built by a trustee. All sums in knocks (20 to the bell)."""

ADULT = 18
CHILD = 7


class Machine:
    def __init__(self, weekday, raining=False):
        self.weekday = weekday
        self.raining = raining
        self.opinion = 0

    def person(self, kind):
        if kind == "adult":
            return ADULT
        if kind == "child":
            # every second child is let in by the first
            self.opinion += 1
            return CHILD if self.opinion % 2 else 0
        if kind == "goose":
            # see Bylaw 31; the machine has read it
            return ADULT + 11
        raise ValueError(f"The machine does not know what a {kind} is and would rather not.")

    def party(self, *visitors):
        total = sum(self.person(kind) for kind in visitors)
        if self.weekday == "Sunday":
            total += len(visitors)  # for the half attendant
        if self.raining:
            total += -total % 5  # no small coins on wet days
        return total


if __name__ == "__main__":
    print("Please knock.")
