//! The prompt as a real llama-server renders it from the same template, for the ways in which six families of models write theirs.

use super::*;
use recto_testkit::peer::Peer;

const MODEL: &str = "smollm2-135m-instruct-q4_1.gguf";
/// What the vocabulary of that model calls its first and its last token.
const ENDS: (&str, &str) = ("<|im_start|>", "<|im_end|>");

/// A family, its template, and whether it is given tools.
const FAMILIES: [(&str, &str, bool); 6] = [
    ("qwen2.5", include_str!("qwen25.jinja"), true),
    ("llama 3: headers, trimmed texts", LLAMA, false),
    ("mistral: brackets, an end after each reply", MISTRAL, false),
    ("gemma: no system role, strict turns", GEMMA, false),
    ("phi: a role in a token", PHI, false),
    ("deepseek: a namespace, white space kept", DEEPSEEK, false),
];

const LLAMA: &str = "{%- for message in messages %}
    {%- set head = '<|start_header_id|>' ~ message['role'] ~ '<|end_header_id|>\n\n' %}
    {{- head + message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif %}";

const MISTRAL: &str = "{%- for message in messages %}
    {%- if message.role == 'system' %}
        {{- '[SYSTEM_PROMPT]' ~ message.content ~ '[/SYSTEM_PROMPT]' }}
    {%- elif message.role == 'user' %}
        {{- '[INST]' ~ message.content ~ '[/INST]' }}
    {%- elif message.role == 'assistant' %}
        {{- message.content ~ eos_token }}
    {%- else %}
        {{- raise_exception('Only user, system and assistant roles are supported') }}
    {%- endif %}
{%- endfor %}";

const GEMMA: &str = "{%- if messages[0]['role'] == 'system' -%}
    {%- set before = messages[0]['content'] | trim ~ '\n\n' -%}
    {%- set rest = messages[1:] -%}
{%- else -%}
    {%- set before = '' -%}
    {%- set rest = messages -%}
{%- endif -%}
{%- for message in rest -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception('Roles must alternate') }}
    {%- endif -%}
    {%- set role = 'model' if message['role'] == 'assistant' else message['role'] -%}
    {{ '<start_of_turn>' ~ role ~ '\n' ~ (before if loop.first else '') }}
    {{- message['content'] | trim ~ '<end_of_turn>\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{ '<start_of_turn>model\n' }}
{%- endif -%}";

const PHI: &str =
    "{% for message in messages %}{% if message['role'] in ['system', 'user'] %}{{ '<|' + message['role'] + '|>
' + message['content'] + '<|end|>
' }}{% elif message['role'] == 'assistant' %}{{ '<|assistant|>
' + message['content'] + '<|end|>
' }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>
' }}{% else %}{{ eos_token }}{% endif %}";

const DEEPSEEK: &str = "{% set ns = namespace(system='', is_first=true) %}
{%- for message in messages %}{% if message.role == 'system' %}{% set ns.system = ns.system ~ message.content %}{% endif %}{% endfor -%}
{{ ns.system }}
{%- for message in messages if message.role != 'system' %}
{%- if message.role == 'user' %}{{ '<｜User｜>' ~ message.content }}{% set ns.is_first = false %}
{%- else %}{{ '<｜Assistant｜>' ~ message.content ~ '<｜end▁of▁sentence｜>' }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt and not ns.is_first %}{{ '<｜Assistant｜>' }}{% endif %}";

#[test]
fn models_m1_the_prompt_is_what_a_llama_server_renders_for_six_families() {
    let said = [
        ("system", "You are a careful clerk.\nAnswer in one line."),
        ("user", "  Who opens the kiln?  "),
        ("assistant", "Maren does."),
        ("user", "And at what time?\n\n| a | \"b\" |\n窑几点开？"),
    ];
    let messages = said.map(|(role, content)| TemplateMessage { role, content: content.into(), ..Default::default() });
    let posted: Vec<serde_json::Value> =
        said.iter().map(|(role, content)| json!({"role": role, "content": content})).collect();
    let parameters = json!({"type": "object", "properties": {"path": {"type": "string", "description": "a <path> & more"}}, "required": ["path"]});
    for (family, source, has_tools) in FAMILIES {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("chat.jinja");
        std::fs::write(&file, source).unwrap();
        let Some(peer) = Peer::start(MODEL, &["--chat-template-file", file.to_str().unwrap()]) else { return };
        let mut body = json!({"messages": posted});
        let mut tools = Value::from(());
        if has_tools {
            tools = Value::from_iter([tool("read_file", "Reads a file.", &parameters)]);
            body["tools"] = json!([{"type": "function", "function": {"name": "read_file", "description": "Reads a file.", "parameters": parameters}}]);
        }
        let answer: serde_json::Value = serde_json::from_str(&peer.post("/apply-template", &body.to_string())).unwrap();
        let ours = ChatTemplate::new(source, ENDS.0, ENDS.1).unwrap().render(&messages, &tools).unwrap();
        assert_eq!(ours, answer["prompt"].as_str().unwrap(), "{family}");
    }
}
