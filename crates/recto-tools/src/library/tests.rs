use super::*;
use recto_core::library::Form;
use std::fs;
use std::io::{Cursor, Write as _};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A packed folder of these files.
fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in files {
        archive.start_file(*name, options).expect("a file");
        archive.write_all(bytes).expect("its bytes");
    }
    archive.finish().expect("an archive").into_inner()
}

/// What is read of a file of this name, a section a paragraph.
fn read(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(name), bytes).expect("writes");
    let root = LibraryRoot::open(folder.path(), &[]).expect("opens");
    let file = root.list(&LibraryStop::default()).files.pop().expect("is listed");
    match root.read(&file.path, file.kind).expect("its bytes").sections {
        Err(why) => format!("unread: {why}"),
        Ok(sections) => {
            let shown = |section: &Section| {
                format!("{:?} {:?} {} {}\n{}", section.form, section.unit, section.first, section.sheet, section.text)
            };
            sections.iter().map(shown).collect::<Vec<_>>().join("\n\n")
        }
    }
}

fn docx(body: &str) -> Vec<u8> {
    let xml = format!(
        r#"<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>"#
    );
    packed(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", xml.as_bytes())])
}

#[test]
fn a_text_document_is_read_with_its_headings_and_tables() {
    let bytes = docx(
        r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>潮位 &amp; tide</w:t></w:r></w:p>
        <w:p><w:r><w:t xml:space="preserve">The gauge </w:t></w:r><w:del><w:r><w:delText>old</w:delText><w:t>gone</w:t></w:r></w:del><w:r><w:t>reads&#8364;.</w:t></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>name</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>price</w:t></w:r></w:p></w:tc></w:tr>
        <w:tr><w:tc><w:p><w:r><w:t>茶</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>3</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"#,
    );
    expect_test::expect![[r#"
        Markdown Paragraph 1 
        # 潮位 & tide
        The gauge reads€.
        | name | price |
        | 茶 | 3 |"#]]
    .assert_eq(&read("a.docx", &bytes));
}

#[test]
fn workbooks_are_read_by_rows_with_the_names_of_their_sheets() {
    let sheet = r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>
        <row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c><c r="C1" t="inlineStr"><is><t>price</t></is></c></row>
        <row r="2"><c r="A2" t="inlineStr"><is><t>茶</t></is></c><c r="C2"><v>3.5</v></c></row>
        <row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>"#;
    let xlsx = packed(&[
        ("[Content_Types].xml", br#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#),
        ("_rels/.rels", br#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#),
        ("xl/workbook.xml", r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="价格" sheetId="1" r:id="rId1"/></sheets></workbook>"#.as_bytes()),
        ("xl/_rels/workbook.xml.rels", br#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ]);
    expect_test::expect![[r#"
        Table Row 1 价格
        name		price
        茶		3.5"#]]
    .assert_eq(&read("a.xlsx", &xlsx));
    let content = r#"<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><table:table table:name="Tide">
        <table:table-row><table:table-cell><text:p>站点</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>m</text:p></table:table-cell></table:table-row>
        <table:table-row><table:table-cell table:number-columns-repeated="99999999"><text:p>北</text:p></table:table-cell></table:table-row></table:table></office:document-content>"#;
    let ods = read("a.ods", &packed(&[("content.xml", content.as_bytes())]));
    assert_eq!(ods, format!("Table Row 1 Tide\n站点\t\t\tm\n{}", ["北"; 64].join("\t")));
}

/// A file of one page that says this.
fn pdf(text: &str) -> Vec<u8> {
    let stream = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        places.push(file.len());
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let table = file.len();
    file.push_str("xref\n0 6\n0000000000 65535 f \n");
    for place in places {
        file.push_str(&format!("{place:010} 00000 n \n"));
    }
    file.push_str(&format!("trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"));
    file.into_bytes()
}

#[test]
fn pages_are_read_and_what_is_no_page_is_a_sentence() {
    assert_eq!(
        read("a.pdf", &pdf("The tide gauge")).split_whitespace().collect::<Vec<_>>().join(" "),
        "Prose Page 1 The tide gauge"
    );
    assert!(read("scan.pdf", &pdf("")).starts_with("unread: no text was found"));
    assert_eq!(read("a.pdf", b"no pdf"), "unread: the file is damaged, or not what its name says");
    let mut broken = pdf("The tide gauge");
    broken.truncate(300);
    assert!(read("a.pdf", &broken).starts_with("unread: "), "{}", read("a.pdf", &broken));
}

#[test]
fn a_web_page_is_read_without_its_scripts_and_menus() {
    let html = "<html><head><title>t</title><style>p{}</style></head><body><nav>menu</nav><h1>潮位</h1><p>At <b>four</b> metres.<script>evil()</script></p><ul><li>one<li>two</ul></body></html>";
    expect_test::expect![[r#"
        Markdown Unnumbered 1 
        # 潮位

        At **four** metres.

        *   one
        *   two"#]]
    .assert_eq(&read("a.html", html.as_bytes()));
}

#[test]
fn texts_are_read_in_their_encoding_with_line_feeds() {
    let (gbk, _, _) = encoding_rs::GBK.encode("潮位站的高度以米为单位。\r\n第二行：水位上升。\r\n");
    assert_eq!(read("a.txt", &gbk), "Prose Line 1 \n潮位站的高度以米为单位。\n第二行：水位上升。\n");
    assert_eq!(read("a.csv", b"a,b\n1,2\n"), "Table Line 1 \na,b\n1,2\n");
    assert_eq!(read("a.rs", b"fn a() {}\n"), "Source Line 1 \nfn a() {}\n");
}

#[test]
fn attack_a_document_that_was_made_to_harm_is_a_sentence_and_nothing_else() {
    let zeros = vec![b' '; 100 * 1_024 * 1_024];
    let bomb =
        packed(&[("word/document.xml", &zeros), ("content.xml", &zeros), ("xl/workbook.xml", &zeros), ("x", &zeros)]);
    assert!(bomb.len() < 1_000_000);
    for name in ["a.docx", "a.ods", "a.xlsx"] {
        assert_eq!(read(name, &bomb), "unread: what is packed in the file is far too large to be read", "{name}");
        assert_eq!(
            read(name, b"PK\x03\x04nothing"),
            "unread: the file is damaged, or not what its name says",
            "{name}"
        );
    }
    let deep = format!("{}deep words{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
    assert_eq!(read("a.html", deep.as_bytes()), "Prose Unnumbered 1 \ndeep words\n",);
    let half = format!("{}half deep{}", "<b>".repeat(900), "</b>".repeat(900));
    assert!(read("a.html", half.as_bytes()).contains("half deep"));
    assert_eq!(read("a.md", b"\xff\xfe\x00\xd8"), "Markdown Line 1 \n\u{fffd}");
    assert_eq!(
        read("a.md", &(0..=255).collect::<Vec<u8>>()),
        "unread: there is no text in the file, or it is in an unknown encoding"
    );
    let line = "x".repeat(5_000_000);
    assert_eq!(read("a.json", line.as_bytes()).len(), line.len() + "Source Line 1 \n".len());
    let nested = docx(&"<w:tbl><w:tr><w:tc>".repeat(50_000));
    assert!(read("a.docx", &nested).starts_with("unread: "));
}

#[test]
fn what_no_person_wrote_is_passed_over_and_a_name_that_promises_nothing_is_no_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in [
        "a.md",
        ".hidden.md",
        ".git/config",
        "node_modules/x/readme.md",
        "target/out.txt",
        "sub/LICENSE",
        "b.png",
        "left.md",
        ".gitignore",
        "sub/data.unheard",
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, "left.md\n").expect("writes");
    }
    fs::write(folder.path().join("sub/data.unheard"), b"\0\x01\0").expect("writes");
    let root = LibraryRoot::open(folder.path(), &[]).expect("opens");
    let listing = root.list(&LibraryStop::default());
    let paths: Vec<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!((paths, listing.is_whole), (vec!["a.md", "sub/LICENSE", "sub/data.unheard"], true));
    assert_eq!(root.read("sub/data.unheard", DocumentKind::Text).expect("bytes").sections, Err(Unread::NoDocument));
    let stopped = LibraryStop::default();
    stopped.stop();
    assert!(!root.list(&stopped).is_whole);
}

#[test]
fn a_file_that_goes_while_it_is_read_and_one_that_is_too_large_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = LibraryRoot::open(folder.path(), &[]).expect("opens");
    assert_eq!(root.read("gone.md", DocumentKind::Markdown), Err(Unread::Gone));
    let large = fs::File::create(folder.path().join("large.md")).expect("a file");
    large.set_len(MAX_BYTES + 1).expect("a length");
    assert_eq!(root.read("large.md", DocumentKind::Markdown), Err(Unread::TooLarge));
}

#[test]
fn a_root_may_be_one_file_and_never_the_programs_own() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.md", "b.md", "own/c.md"] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, "text\n").expect("writes");
    }
    let root = LibraryRoot::open(&folder.path().join("a.md"), &[]).expect("opens");
    let listing = root.list(&LibraryStop::default());
    assert_eq!(listing.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a.md"]);
    let read = root.read("a.md", DocumentKind::Markdown).expect("reads").sections.expect("text");
    assert_eq!((read[0].form, read[0].text.as_str()), (Form::Markdown, "text\n"));
    let own = [folder.path().join("own")];
    for path in ["own", "own/c.md", "."] {
        assert!(LibraryRoot::open(&folder.path().join(path), &own).is_err(), "{path}");
    }
}
