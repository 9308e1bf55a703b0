"""Which questions ask for dates and lists, quote a text, use signs and other scripts, or come with a file?"""

from redteam.templates import Template

# fmt: off
PRELUDES = (
    "I am [writing|preparing|putting together] a [small|short] [exhibition|talk|radio piece] for "
    "the {craft}s of {town7}, "
    "and one [detail|point] is still [open|missing]. [My colleague {first7} swears|The draft by "
    "{first7} claims] that it "
    "can be [checked|looked up] online.",
    "[Last {weekday7}|One {weekday7} in {month7}] [my neighbour|an old friend|a visitor from "
    "{island7}] and I [argued|disagreed] "
    "about the following over {dish7}. We had {small7} guesses between us, [none of them "
    "certain|all of them different]. "
    "[Please settle it.|Help us out.]",
    "[Suppose|Imagine|Let us say] that you [work|volunteer] in the [archive|reading room|post office] of {town7} and "
    "receive a letter from {person7}. It [asks|wants to know] [one thing only|a single thing], and "
    "[encloses|comes with] "
    "{n7} stamps for the reply. [No book on your shelf helps, so use the web.|The catalogue is of no use.]",
    "[The {bird7} on the cover|A {metal7} coin|The {colour7} binding] [misled|puzzled] the [cataloguers|editors] of "
    "\"{book7}\" for years, [but that is another story|which need not concern us here].",
)

DATES_AND_LISTS = (
    Template(
        1, "opening of the {town} pool",
        "[On what date|Exactly when] did the [open-air|heated|saltwater] [swimming pool|bath|lido] of {town}, "
        "[paid for|funded|built] by {firm} [under|and run by] {person}, [open|receive its first bathers|let "
        "people in]? [Write it as day, month and year.|Use the form 1 January 1900.|Day, month, year.]",
        "{day} {month} {year}",
        "Bathers were let in for the first time on {day} {month} {year}.",
    ),
    Template(
        2, "comet seen from {town}",
        "{person} [noticed|observed|sketched] a comet from the roof of a {craft}'s shop in {town}. [In which "
        "month and year|When, by month and year,] did the {n2} day observation [end|stop], [counting "
        "from|starting with] the entry of {day2} {month2}?",
        "{month} {year}",
        "The diary falls silent about the comet in {month} {year}.",
    ),
    Template(
        1, "market day in {town}",
        "[On which day of the week|Which weekday] was the {dish} market of {town} held [before it moved|until "
        "it was moved] in {year} [because of|owing to] a quarrel with {person}? [One word.|Name the weekday "
        "only.]",
        "{weekday}",
        "Stalls used to go up every {weekday}.",
    ),
    Template(
        2, "guilds of {town}",
        "[Which three guilds|What three guilds] of {town} [refused|declined] to sign the treaty of {year} with "
        "{town2}, [as quoted by|according to] the chronicler {person}? {asklist}",
        "{craft}, {craft2}, {craft3}",
        "Three seals are missing from the parchment, says the chronicle: {craft}, {craft2}, {craft3}.",
    ),
    Template(
        3, "stops of the {ship}",
        "The mail boat {ship} [called|put in] at several islands in the week of {day} {month} {year}. [List the "
        "islands in the order of the log|In the order of its log, which islands were they], [leaving "
        "out|without] the home port {town}. {asklist}",
        "{island}, {island2}, {island3}, {island4}",
        "The log has {island}, {island2}, {island3}, {island4}, in this order.",
    ),
    Template(
        2, "catalogue of {firm}",
        "[From|In] the {year} catalogue of {firm}, [which order numbers|what order numbers] belong to "
        "[tools|lamps|hinges] made of {metal} that [cost|were priced at] less than {n2} crowns? {asklist}",
        "{code}, {code2}, {code3}",
        "Three lines of the price list are below that sum: {code}, {code2}, {code3}.",
    ),
    Template(
        2, "orchestra of {town}",
        "When the orchestra of {town} [went on strike|stopped work] in {year}, [which instruments|what "
        "instruments] [kept playing|stayed at their desks]? [The Courier of {day} {month} lists four.|{person} "
        "named four of them.] {asklist}",
        "{instrument}, {instrument2}, {instrument3}, {instrument4}",
        "Only four desks stayed: {instrument}, {instrument2}, {instrument3}, {instrument4}.",
    ),
    Template(
        3, "lottery numbers of {town}",
        "[What were the four numbers|Which four numbers were] drawn in the church lottery of {town} on {day} "
        "{month} {year}, [in ascending order|sorted upwards], [if the slip kept by {person} is genuine|as noted "
        "on the slip that {person} kept]? {asklist}",
        "1, 4, {small}{small2}, 99",
        "The slip reads 1, 4, {small}{small2}, 99.",
    ),
    Template(
        1, "flag of {island}",
        "[Which colours|What colours] [make up|are found in] the flag that {person} [sewed|designed] for "
        "{island} in {year}, [from top to bottom|reading downwards]? {asklist}",
        "{colour}, {colour2}, {colour3}",
        "From the top it has bands of {colour}, {colour2}, {colour3}.",
    ),
    Template(
        2, "timetable of line {letter}",
        "[A traveller|Somebody|{first}] wants to go from {town} to {town2} by [coach|train|tram] line {letter} "
        "on a {weekday}. [Using the timetable of {year}|By the {year} timetable], [when does the last one "
        "leave|what is the latest departure]? [Use the 24-hour form.|Write hours and minutes, such as 07:05.]",
        "21:{n}",
        "After the 21:{n} nothing runs until morning.",
    ),
)

QUOTED = (
    Template(
        2, "poem cut in stone at {town}",
        'A stone [bench|wall|well] in {town} [bears|carries] these lines: "{poem}". [The stanza is printed with '
        "one change|One word is different] in the {year} edition by {person}. [Which word replaces the first "
        "adjective|What word stands there instead of the first adjective]?",
        "{colour}",
        "The printed edition has {colour} in place of the first adjective.", "{poem}",
    ),
    Template(
        1, "statute of {town}",
        "[Which year's|From what year is the] statute of {town} [says|that says]: \"{rule}\"? [Only the year is "
        "wanted.|Four digits, please.|Give the year alone.]",
        "{year}",
        "The oldest copy of the statute was sealed in {year}.", "{rule}",
    ),
    Template(
        3, "inscription found by {person}",
        '[In|During] {year} {person} copied an inscription near the {river}: "{poem}". [A second hand has '
        "added|Somebody later added] a name below it, [which {person2} read|which was read by {person2}] as "
        "that of a {craft}. [What name|Whose name] was it? {askname}",
        "{surname}",
        "Beneath the lines a later hand has cut the name {surname}.", "{poem}",
    ),
    Template(
        2, "riddle in {book}",
        'The {small2}th riddle in "{book}" [goes|runs|reads]: "{poem}" [What does the key at the end of the '
        "book say|Which solution does the book's own key give]? [One word.|A single noun.]",
        "{instrument}",
        "In the key, the riddle is resolved as a {instrument}.", "{poem}",
    ),
    Template(
        1, "rule of the {town} rowing club",
        '[Under|By] the rule "{rule}" {person} was [fined|punished] at {town} in {year}. [How many days '
        "passed|What number of days went by] before the [fine|penalty] was [lifted|taken back]? {asknumber}",
        "{n}",
        "It took {n} days until the penalty was forgiven.", "{rule}",
    ),
)

SIGNS_AND_SCRIPTS = (
    Template(
        2, "Greek sign in {town}",
        "Above the door of a [café|bakery|bookshop] in {town}, [once run|founded] by {person} in {year}, [there "
        "is|hangs] a sign in Greek. [Which word is on it|What does it say], [in Greek letters|in the original "
        "script]?",
        "{greek}",
        "The painted board reads {greek}.",
    ),
    Template(
        2, "Cyrillic stamp {code}",
        "The postmark on cover {code}, [posted|sent] from {island} to {person} in {month} {year}, "
        "[contains|has] one word in Cyrillic. [Copy it exactly.|Write that word as it stands.|Which word is "
        "it?] [The cover was sold by {firm}.|It was auctioned in {town}.]",
        "{russian}",
        "The word in the ring of the postmark is {russian}.",
    ),
    Template(
        2, "woodblock print of {town}",
        "A woodblock print [given|donated] to the museum of {town} by {person} in {year} [has|bears] a title of "
        "[a few|two or three] characters in the upper [left|right] corner. [What is the title in Japanese|Give "
        "the title in Japanese writing].",
        "{japanese}",
        "The title cartouche says {japanese}.",
    ),
    Template(
        3, "tile from the {ship}",
        "[Divers|A diver] [brought up|recovered] a [glazed|blue] tile from the wreck of the {ship} near "
        "{island} in {year}. [Which Arabic word|What word in Arabic script] is painted on it, [as read by|in "
        "the reading of] {person}?",
        "{arabic}",
        "On the tile stands the word {arabic}.",
    ),
    Template(
        1, "emoji of the {town} festival",
        "The [kite|poetry|soup|puppet] festival of {town} [chose|picked|settled on] [a single|one] emoji as its "
        "[logo|badge|emblem] [in|for] 20[09|11|13|14], [after a vote run by {person}|when {person} "
        "asked the {craft}s]. "
        "[Which emoji|What emoji|Which one] was [it|chosen]? "
        "[Reply with the emoji alone.|The symbol is enough.|Just paste it.]",
        "{emoji}",
        "The winning symbol was {emoji}.",
    ),
    Template(
        2, "motto of {firm}",
        "[What is the exact motto|Which motto stands] on the letterhead of {firm} of {town} [used|printed] in "
        "{year}, [including punctuation|with all its punctuation], [as reproduced|shown] in {person}'s history "
        "of the trade?",
        '{first} & {first2}: "never late!"',
        'The letterhead has the line {first} & {first2}: "never late!" in italics.',
    ),
    Template(
        1, "coordinates of {island} light",
        "[Which latitude|What latitude] does the pilot book of {year} give for the lighthouse on {island}, "
        "[built|raised] by {person}? [Use degrees and minutes with the usual signs.|Write it with degree and "
        "minute signs.]",
        "{n}°{small}'N",
        "The pilot book puts the light at {n}°{small}'N.",
    ),
    Template(
        3, "opening of game {code}",
        "In the [endgame|position] catalogued as {code} by {person} of {town}, White to move [wins|mates] in "
        "{small2}. [What is the key move|Which move is the key], in [algebraic notation|standard notation]? "
        "[The study dates from {year}.|It was published in {year}.]",
        "R{letter}{small}+!",
        "The author's key is R{letter}{small}+! and everything else only draws.",
    ),
    Template(
        2, "price at {town} market",
        "[How much did|What did] a [crate|basket|sack] of {dish} cost at {town} on the {weekday} "
        "[after|following] the strike of {year}, [in dollars and cents|with cents], [as reported by|in the "
        "notebook of] {person}?",
        "${dec}",
        "The notebook has ${dec} for the day after the strike.",
    ),
    Template(
        3, "cipher of {person}",
        "{person}, a {craft} from {town}, [hid|concealed] the name of a [friend|rival] in the first letters of "
        "{n2} account entries of {year}. [Reading every {small2}th entry|If one reads each {small2}th entry], "
        "[which name appears|what name comes out]? {askname}",
        "{surname}",
        "Read in that way the entries spell {surname}.",
    ),
    Template(
        2, "exhibit {code}",
        "Exhibit {code} in the museum of {town} is a [chair|ladder|kite] made by {person} from [driftwood|old "
        "crates]. The label [was rewritten|changed] in {year}. [Before that, who was named as the maker|Who was "
        "credited until then]? {askname}",
        "{person2}",
        "The former label credited {person2}.",
    ),
)

COUNTED_FROM_FILES = (
    Template(
        1, "attached list of {thing}",
        "The attached [table|list|sheet] [has|shows] the {thing} of {town} by year, as [noted|entered] by "
        "{person}. [How many of them were repaired|What number was repaired] after {year}? {asknumber}",
        "{small}",
        "Counting the rows gives {small}.",
    ),
    Template(
        2, "attached ledger of {firm}",
        "[Open|Look at] the attached ledger of {firm}. [What is the total|Which total results|What do you get "
        "as the total] of all entries [for|under] {metal}, in crowns, [once returns are taken off|after "
        "returns]? {asknumber}",
        "{big}",
        "The sum comes to {big}.",
    ),
    Template(
        1, "attached roll of the {town} choir",
        "[In the attached roll|In the file that comes with this question], [which singer|who] of the {town} "
        "choir [missed|was absent from] the most rehearsals in {month} {year}? {askname}",
        "{person}",
        "Most absences are those of {person}.",
    ),
)
# fmt: on
