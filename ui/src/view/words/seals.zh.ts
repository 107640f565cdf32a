import type { SealWord } from './seals.en';

/** 校验审计记录的结果：链、封印和锚点。 */
export const seals = {
  'audit.intact': '全部 {n} 条记录都与前一条衔接，没有改动。',
  'audit.fault.altered': '第 {row} 条记录，或它之前的某条，被改过。',
  'audit.fault.missing': '缺少第 {row} 条记录。',
  'audit.fault.reordered': '第 {row} 条记录不在写入时的位置。',
  'audit.fault.cut': '记录被截断：第 {row} 条及之后的内容不见了。',
  'audit.fault.unsealed': '第 {row} 条记录的封印不见了。',
  'audit.fault.anchorBehind':
    '第 {row} 条记录没有封印，而且在钥匙串里最后一次登记之后才出现：当时没有可用的钥匙串，或者是别人加入的。',
  'audit.seal.from': '从第 {row} 条起有封印，密钥保存在系统钥匙串里。',
  'audit.seal.notYet': '没有任何记录带封印。',
  'audit.seal.noKeychain': '系统钥匙串无法使用，所以没有校验封印：如果有人改动文件并重新计算整条链，将无法发现。',
  'audit.seal.keyGone': '钥匙串里已经没有这份记录的密钥，无法校验封印。',
  'audit.seal.unsealed': '此后有 {n} 条记录没有封印：当时没有可用的钥匙串，或者是别人加入的。',
  'audit.seal.behind': '钥匙串里的登记落后 {n} 条。',
} satisfies Record<SealWord, string>;
