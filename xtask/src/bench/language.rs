//! In which language an answer is: a column of the table that decides nothing.

use whatlang::{Detector, Lang};

/// The languages of the tasks, by their two letters.
const LANGUAGES: [(&str, Lang); 15] = [
    ("en", Lang::Eng),
    ("de", Lang::Deu),
    ("fr", Lang::Fra),
    ("es", Lang::Spa),
    ("it", Lang::Ita),
    ("pt", Lang::Por),
    ("nl", Lang::Nld),
    ("sv", Lang::Swe),
    ("pl", Lang::Pol),
    ("cs", Lang::Ces),
    ("tr", Lang::Tur),
    ("ru", Lang::Rus),
    ("zh", Lang::Cmn),
    ("ja", Lang::Jpn),
    ("ko", Lang::Kor),
];

/// An answer with fewer letters of the Latin script is a name or a number, and says nothing about its language.
const SHORTEST: usize = 25;

/// Whether an answer is in this language; `None` where that cannot be told.
///
/// Scripts that belong to one language here are counted; among the Latin languages a guess that is not sure is none.
pub(crate) fn is_in(language: &str, answer: &str) -> Option<bool> {
    let (_, wanted) = LANGUAGES.iter().find(|(name, _)| *name == language)?;
    let n_of = |is_of: fn(char) -> bool| answer.chars().filter(|letter| is_of(*letter)).count();
    let is_han = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
    let is_kana = |letter: char| ('\u{3040}'..='\u{30ff}').contains(&letter);
    let is_hangul = |letter: char| ('\u{ac00}'..='\u{d7af}').contains(&letter);
    let is_cyrillic = |letter: char| ('\u{0400}'..='\u{04ff}').contains(&letter);
    let (n_han, n_kana, n_latin) =
        (n_of(is_han), n_of(is_kana), n_of(|letter| letter.is_alphabetic() && letter < '\u{250}'));
    let found = match language {
        "zh" if n_han > 0 => Some(n_kana == 0),
        "ja" if n_kana + n_han > 0 => Some(n_kana > 0 || n_han < 4),
        "ko" if n_of(is_hangul) > 0 => Some(true),
        "ru" if n_of(is_cyrillic) > 0 => Some(true),
        _ => None,
    };
    if found.is_some() || n_latin < SHORTEST {
        return found;
    }
    let detector = Detector::with_allowlist(LANGUAGES.iter().map(|(_, lang)| *lang).collect());
    let guess = detector.detect(answer)?;
    if guess.lang() == *wanted { Some(true) } else { guess.is_reliable().then_some(false) }
}

#[cfg(test)]
mod tests {
    use super::is_in;

    #[test]
    fn a_sentence_is_told_by_its_script_or_its_words_and_a_number_is_not_told() {
        let german =
            "Die nächste Versammlung ist am Donnerstag um acht Uhr im Vereinsheim, und der Schlüssel liegt dort.";
        let found = [
            is_in("de", german),
            is_in("en", german),
            is_in("zh", "会议在星期四晚上八点。"),
            is_in("zh", "会議は木曜日の八時です。"),
            is_in("ja", "会議は木曜日の八時です。"),
            is_in("ru", "В четверг в восемь."),
            is_in("ru", "The meeting is on Thursday at eight in the evening, as the notes of the club say."),
            is_in("de", "12,50 €"),
        ];
        let expected = [Some(true), Some(false), Some(true), Some(false), Some(true), Some(true), Some(false), None];
        assert_eq!(found, expected);
    }
}
