"""What the agent is told: GAIA's answer format, and how to go about it."""

from gaia_harness import system_prompt

SYSTEM = system_prompt.SYSTEM

ATTACHMENT = "\n\nA file comes with this question: {name}"

NO_ANSWER_YET = (
    "Your reply called no tool and has no final answer. Go on working, or end with a line of the form\n"
    "FINAL ANSWER: your answer"
)

LAST_TURN = (
    "You have used up your turns: no more tools can be called. Answer now with what you know, ending with a "
    "line of the form\nFINAL ANSWER: your answer"
)

CUT_SHORT = (
    "Your reply was longer than a reply may be, and its end is missing. Finish it briefly, and write its last line "
    "anew: a line of the form\nFINAL ANSWER: your answer"
)

ONLY_TEMPLATE = (
    "Your reply has the words that stand for an answer where the answer itself belongs. End with a line of the form\n"
    'FINAL ANSWER: your answer\nand put what you found in the place of "your answer".'
)

NO_ROOM = (
    "This conversation has become too long to go on: no more tools can be called, and most of what came before is no "
    "longer shown. Answer now with what you know, ending with a line of the form\nFINAL ANSWER: your answer"
)


def question(text: str, attachment_name: str | None) -> str:
    """The question as the agent gets it, naming its file by the neutral name."""
    return text if attachment_name is None else text + ATTACHMENT.format(name=attachment_name)
