"""Recognises instructions to the judge in languages other than English."""

import re
from functools import lru_cache

# Who grades, what is graded, the verdict, and what it is held against.
_GRADER = re.compile(
    r"\b(?:correct(?:eur|rice)s?|évaluat(?:eur|rice)s?|examinat(?:eur|rice)s?|notateurs?|avaliador\w*|corretor\w*|"
    r"evaluador\w*|calificador\w*|corrector\w*|examinador\w*|valutator\w*|corrett?or[ei]|esaminator\w*|"
    r"bewerter\w*|prüfer\w*|korrektor\w*|gutachter\w*|beoordelaar\w*|nakijker\w*|bedömare\w*|sensor|"
    r"oceniając\w*|egzaminator\w*|hodnotitel\w*|değerlendir(?:ici|en)\w*|penilai|giám khảo|người chấm|"
    r"оценщик\w*|оценивающ\w*|проверяющ\w*|экзаменатор\w*|оцінювач\w*|αξιολογητ\w*|βαθμολογητ\w*)|"
    r"採点|評価者|審査員|评分|评判|评审|阅卷|評分|評審|判卷|채점|평가자|심사|المصحح|المقيّ?م|مصحح|"
    r"मूल्यांकनकर्ता|परीक्षक|ผู้ตรวจ|ผู้ให้คะแนน|בודק|מעריך"
)
_COURT = re.compile(
    r"\b(?:juge|juez|juiz|juíza|giudice|richter|rechter|sędzi\w*|судь\w*|суддя\w*|hakem\w*|soudce|domare)\b|"
    r"裁判|法官|판사|القاضي|न्यायाधीश|שופט"
)
"""Who judges in court, too: in a title these are at home."""
_RIGHT = re.compile(
    r"\b(?:correcte?s?|juste|exacte?|corret[ao]|cert[ao]|correct[ao]|corrett[ao]|giust[ao]|korrekt\w*|richtig\w*|"
    r"juiste?|goed|rätt|riktig\w*|poprawn\w*|prawidłow\w*|správn\w*|doğru\w*|benar|đúng|правильн\w*|верн\w*|"
    r"вірн\w*|σωστ\w*|accept(?:er|ez|é\w*)|aceit(?!ou|aram)\w*|acept(?!ó|aron|aba)\w*|accett(?!ò|arono)\w*|"
    r"akzeptier\w*|goedkeur\w*|godkänn\w*|"
    r"zaakcept\w*|uzna\w*|kabul|прими\w*|зачт\w*|засчита\w*)\b|"
    r"正解|正しい|正确|正確|满分|満点|정답|맞는|맞다고|صحيح|सही|ถูกต้อง|נכונ"
)
_ANSWER = re.compile(
    r"\b(?:réponses?|respostas?|respuestas?|rispost[ae]|antwort\w*|antwoord\w*|svar\w*|odpowied\w*|odpověď\w*|"
    r"cevab\w*|cevap\w*|yanıt\w*|jawaban|câu trả lời|đáp án|ответ\w*|відповід\w*|απάντησ\w*)|"
    r"回答|答案|解答|答え|대답|답변|답안|الإجابة|الجواب|उत्तर|คำตอบ|תשובה"
)
_REFERENCE = re.compile(
    r"\b(?:références?|referência|referencia|riferimento|referenz\w*|musterlösung\w*|referentie\w*|corrigé|gabarito|"
    r"wzorc\w*|wzorcow\w*|эталон\w*|еталон\w*|instrucciones|instruções|istruzioni|consignes|anweisung\w*|"
    r"инструкци\w*|polecen\w*|talimat\w*)|参考答案|标准答案|標準答案|模範解答|参照|기준 답|지시|指示|指令|"
    r"التعليمات|निर्देश|คำสั่ง"
)
# Words by which somebody is asked, and those that make the answer at hand, or any other, the thing that is asked for.
_ASKED = re.compile(
    r"\b(?:bitte|veuillez|merci de|je vous prie|s'il vous plaît|por favor|le ruego|les ruego|ruego|pido|per favore|"
    r"si prega|prego|chiedo|peço|solicito|пожалуйста|прошу|просьба|будьте добры|proszę|lütfen|alstublieft|gelieve)\b|"
    r"请|請|ください|下さい|お願い|부탁|주세요|من فضلك|कृपया"
)
_THIS = re.compile(
    r"\b(?:dies\w*|das hier|meine\w*|cette|ma|esta|est[eo]|mi|minha|quest[ao]|mia|est[ae]|этот|это|мой|данный|"
    r"t[ęe]|bu)\b|"
    r"\b(?:als|comme|como|come|за)\b|这|這|此|我的|算|この|これ|として|이"
)
_TAKEN = re.compile(
    r"\b(?:gelten lassen|anerkenn\w*|annehmen|akzeptier\w*|gewertet|werten|accept\w*|compt\w+|valid\w+|acept\w*|"
    r"cuent\w*|"
    r"aceit\w*|accett\w*|consider\w*|considér\w*|засчита\w*|прин(?:ять|имит\w*)|признать|zalicz\w*|uzna\w*)\b|"
    r"接受|认可|正解にし|正解とし|正解扱い|認め"
)
_POINTS = re.compile(
    r"\b(?:volle\w* punkt\w*|den punkt|punkt geben|accorde\w* le point|le point|tous les points|note maximale|"
    r"el punto|la máxima|puntuación (?:máxima|completa)|puntos completos|punteggio (?:pieno|massimo)|il punto|"
    r"nota máxima|pontuação (?:máxima|total)|o ponto|полн\w+ балл\w*|максимальн\w+ балл\w*|зач[её]т)\b|满分|滿分|満点"
)
_MODEL = re.compile(
    r"\b(?:muster(?:lösung|antwort)|referenz(?:antwort|lösung)|lösungsschlüssel|réponse (?:de référence|attendue|"
    r"type)|"
    r"corrigé(?: type)?|respuesta (?:de referencia|esperada|oficial)|clave(?: de respuestas)?(?= (?:está|es|"
    r"contiene|tiene))|chiave(?: delle risposte)?(?= (?:è|contiene))|"
    r"(?:soluzione|risposta) (?:di riferimento|attesa)|gabarito|resposta (?:de referência|esperada)|"
    r"эталон\w*|ключ\w* ответ\w*|ключ содержит|odpowiedź wzorcowa)\b|参考答案|标准答案|標準答案|模範解答|"
    r"正解データ|모범 답안"
)
_OFF = re.compile(
    r"\b(?:veraltet|falsch|fehlerhaft|überholt|périmé\w*|obsolète|erroné\w*|fausse?|dépassé\w*|incorrect\w*|"
    r"desactualizad\w*|obsolet\w*|equivocad\w*|errad\w*|sbagliat\w*|superat\w*|errat\w*|err(?:eur|or|ore|o)s?|"
    r"fehler|desatualizad\w*|"
    r"устаре\w*|ошиб\w*|неверн\w*|неправильн\w*|nieaktualn\w*|gleich|identisch|identique|équivalent\w*|igual|"
    r"equivale\w*|identic\w*|совпада\w*)\b|过时|過時|错误|有误|一样|相同|古い|古く|間違|誤り|同じ|오래|틀"
)
_RULE = re.compile(
    r"\b(?:(?:bewertungs|korrektur|benotungs|wertungs)\w+|barème|règles? (?:de notation|d'évaluation|de correction)|"
    r"critères (?:de notation|d'évaluation|de correction)|(?:reglas?|normas?|criterios?) de (?:calificación|"
    r"corrección|evaluación)|"
    r"(?:regolamento|regole?|criteri|griglia) di (?:valutazione|correzione)|"
    r"(?:regras?|critérios?) de (?:correção|avaliação)|(?:правил\w*|критери\w*) (?:проверки|оцен\w*))\b|"
    r"评分(?:规则|标准|细则)|評分(?:規則|標準)|採点(?:基準|規則|ルール)|채점 기준"
)
_ANY = re.compile(
    r"\b(?:jede\w*|alle|toute?s?|cualquier\w*|tod[ao]s?|qualsiasi|ogni|qualquer|люб\w+|кажд\w+|vale|gilt)\b|任何|"
    r"所有|都|どの|すべて|모든"
)
_VERDICT = re.compile(
    r"(?:^|[.;,(\s])(?:urteil|bewertung|verdict|évaluation|veredicto|calificación|resultado|giudizio|valutazione|"
    r"esito|"
    r"veredito|avaliação|вердикт|оценка|результат проверки|判定|评判|评分|評価|採点|판정) ?[:：=] ?[\"'«]?"
    r"(?:korrekt|richtig|correcte?|juste|correct[ao]|corrett[ao]|giusto|corret[ao]|cert[ao]|верно|правильно|正确|"
    r"正確|正解|정답)"
    r"(?=$|[.,;!)»\"'\s。])"
)
_MARKING = re.compile(
    r"\b(?:(?:für|an) die korrektur|wer (?:das|dies) (?:bewertet|korrigiert|prüft)|quien (?:corrige|califica|evalúa)|"
    r"(?:celui|celle|ceux) qui (?:corrige\w*|note\w*|évalue\w*)|chi (?:corregge|valuta)|quem (?:corrige|avalia)|"
    r"кто (?:проверяет|оценивает)|тому,? кто (?:проверяет|оценивает))\b"
)
_KIND = re.compile(
    r"\b(?:indulgent\w*|wohlwollend\w*|clement\w*|ein auge zu|tolerant\w*|nachsichtig|großzügig|indulgente|"
    r"generos\w*|снисходительн\w*|benévol\w*)\b|宽容|寛大|甘め|甘く"
)
_GRADING = re.compile(
    r"\b(?:bewert\w*|benot\w*|korrektur\w*|calific\w*|corregir|evaluar|notation|notez|évaluation|correction|"
    r"valuta\w*|corregg\w*|"
    r"avalia\w*|corrig\w*|оцен\w*|провер\w*)\b|採点|评分|評分|评判|채점"
)
_AS_RIGHT = re.compile(
    r"\b(?:comme|como|por|come|als|за|считать|считается) (?:étant )?(?:bonne|juste|correcte?|buena|válid[ao]|"
    r"correct[ao]|cert[ao]|corret[ao]|giust[ao]|"
    r"corrett[ao]|richtig|korrekt|верн\w+|правильн\w+)\b|算对|算正确|正解と見なす|正解とみなす|正解扱い"
)
_OUGHT = re.compile(
    r"\b(?:doit|doivent|devrait|debe\w*|deve|devono|dovrebbe|va|muss|müssen|sollte|soll|ist als|следует|должен|"
    r"нужно|надо|deveria)\b|"
    r"应该|应当|必须|べき"
)
_EACH = re.compile(r"\b(?:jede|toute|cualquier|qualsiasi|ogni|qualquer|люб(?:ой|ая|ое))\b|任何|どの")
_CONTEXT = re.compile(r"[.!?;。！？；\n]+")


@lru_cache(maxsize=64)  # several readings of an answer come to the same text
def pleads_abroad(lower: str) -> bool:
    """Whether a sentence in another language tells a grader, or somebody who compares, what is right."""
    return _together(lower) or any(_asks(sentence[:400]) for sentence in _CONTEXT.split(lower) if len(sentence) > 4)


def _together(lower: str) -> bool:
    if _RIGHT.search(lower) is None:
        return False
    answer = _ANSWER.search(lower) is not None
    reference = _REFERENCE.search(lower) is not None
    if _GRADER.search(lower):
        return answer or reference or ":" in lower or "：" in lower
    # "the right answer, by the book's instructions, …" asks for nothing: this answer is not spoken of
    return answer and _THIS.search(lower) is not None and (reference or _COURT.search(lower) is not None)


def _asks(sentence: str) -> bool:
    """Whether one sentence asks for it, rules so, gives the verdict or finds fault with the reference."""
    if _VERDICT.search(sentence) or (_MODEL.search(sentence) and _OFF.search(sentence)):
        return True
    taken = _TAKEN.search(sentence) is not None
    right = _RIGHT.search(sentence) is not None
    points = _POINTS.search(sentence) is not None
    answer = _ANSWER.search(sentence) is not None
    if _RULE.search(sentence) and (answer or taken) and (right or taken or _ANY.search(sentence)):
        return True
    if _KIND.search(sentence) and _GRADING.search(sentence):
        return True
    if (answer or "als richtig zu" in sentence) and (
        _AS_RIGHT.search(sentence)
        or ((taken or right) and _OUGHT.search(sentence) and _THIS.search(sentence))
        or (taken and _EACH.search(sentence))
    ):
        return True
    if _MARKING.search(sentence) or _GRADER.search(sentence):
        return right or points or _KIND.search(sentence) is not None
    if points and (answer or _ASKED.search(sentence) or "accord" in sentence or "assegn" in sentence):
        return True
    if _ASKED.search(sentence) is None:
        return False
    if answer and taken:
        return True
    return right and _THIS.search(sentence) is not None and (answer or "werten" in sentence or taken)
