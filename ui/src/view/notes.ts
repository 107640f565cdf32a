import type { Words } from './words';

/** What tools and the turn say in English, and how it reads in Chinese; `$1` is what the pattern caught. */
const CHINESE: [RegExp, string][] = [
  [/^(\d+) (?:line|lines)$/, '$1 行'],
  [/^(\d+) (?:entry|entries)$/, '$1 项'],
  [/^(\d+) (?:item|items)$/, '$1 项'],
  [/^(\d+) (?:match|matches) in (\d+) (?:file|files)$/, '$2 个文件中有 $1 处匹配'],
  [/^(\d+) unchanged (?:line|lines)$/, '$1 行未变'],
  [/^no match$/, '没有匹配'],
  [/^written, (\d+) (?:byte|bytes)$/, '已写入，$1 字节'],
  [/^empty file$/, '空文件'],
  [/^empty folder$/, '空文件夹'],
  [/^the list was written$/, '计划已写入'],
  [/^made before$/, '之前已调用过'],
  [/^no such tool$/, '没有这个工具'],
  [/^not (?:done|listed|read|searched|written)$/, '没有完成'],
  [/^nothing to write$/, '没有可写的内容'],
  [/^path not usable$/, '路径不可用'],
  [/^refused by a rule$/, '被规则拒绝'],
  [/^stopped$/, '已停止'],
  [/^the user said no$/, '你拒绝了'],
  [/^the answer reached its length limit and ends early$/, '回答达到长度上限，提前结束'],
  [/^the provider withheld the rest of the answer$/, '服务方没有给出其余的回答'],
  [/^the connection ended without a finish mark; the answer may be incomplete$/, '连接没有正常结束，回答可能不完整'],
  [
    /^the model's steps could not be read\. Try again, or choose another model or protocol$/,
    '读不懂模型给出的步骤。请再试一次，或换一个模型',
  ],
  [/^this conversation is still answering; wait for it or stop it first$/, '这个对话还在回答，请等待或先停止它'],
  [/^nobody answers at (\S+?); (.*)$/, '$1 没有回应（$2）'],
];

/** A line from below the window, in its language. What has no translation is shown as it came: better English than nothing. */
export function note(words: Words, text: string): string {
  if (words.language !== 'zh') return text;
  const known = CHINESE.find(([pattern]) => pattern.test(text));
  return known ? text.replace(known[0], known[1]) : text;
}
