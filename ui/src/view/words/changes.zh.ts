import type { ChangesWord } from './changes.en';

/** 追加、删除、移动文件，新建文件夹。 */
export const changes = {
  'trail.tool.append_file': '准备向 {target} 追加内容…',
  'trail.tool.delete_file': '准备删除 {target}…',
  'trail.tool.move_file': '准备移动 {target}…',
  'trail.tool.make_dir': '准备新建文件夹 {target}…',
  'trail.did.append_file': '向 {target} 追加了内容',
  'trail.did.delete_file': '删除了 {target}',
  'trail.did.move_file': '移动了 {target}',
  'trail.did.make_dir': '新建了文件夹 {target}',
  'trail.denied.append_file': '未获准向 {target} 追加内容',
  'trail.denied.delete_file': '未获准删除 {target}',
  'trail.denied.move_file': '未获准移动 {target}',
  'trail.denied.make_dir': '未获准新建文件夹 {target}',
  'step.append_file': '追加内容',
  'step.delete_file': '删除文件',
  'step.move_file': '移动文件',
  'step.make_dir': '新建文件夹',

  'approval.append': '追加',
  'approval.delete': '删除',
  'approval.move': '移动',
  'approval.makeDir': '新建文件夹',
  'approval.goes': '{before}；七天内可以撤销',
  'approval.empty.delete': '不逐行显示内容。',
  'approval.empty.move': '内容保持不变。',
  'approval.empty.makeDir': '将新建一个空文件夹。',
  'approval.flag.notShown': '要删除的不是文本，或者太长，无法逐行显示。',
  'approval.boundPlace': '你的同意只对这一个改动有效。',

  'undo.did.create': '新建',
  'undo.did.overwrite': '替换',
  'undo.did.edit': '修改',
  'undo.did.append': '追加',
  'undo.did.delete': '删除',
  'undo.did.move': '移动',
} satisfies Record<ChangesWord, string>;
