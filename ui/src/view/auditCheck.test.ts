import { expect, test } from 'vitest';
import type { AuditCheckView } from '../ipc/generated/types';
import { findings, isBad } from './auditCheck';
import { Words } from './words';

const WHOLE: AuditCheckView = {
  nRows: 9,
  brokenAt: null,
  fault: null,
  seal: 'sealed',
  sealedFrom: 3,
  nUnsealed: 0,
  nBehind: 0,
};

test('permission_p7_a_check_says_where_what_kind_and_how_far_the_seals_bear_it', () => {
  const cases: [Partial<AuditCheckView>, boolean, string, string][] = [
    [
      {},
      false,
      'All 9 rows agree with the one before. Sealed from row 3 on, with a key in the keychain of this system.',
      '全部 9 条记录都与前一条衔接，没有改动。 从第 3 条起有封印，密钥保存在系统钥匙串里。',
    ],
    [
      { brokenAt: 10, fault: 'cut', nUnsealed: 1, nBehind: 2 },
      true,
      'The log was cut: row 10 and what followed is not there. Sealed from row 3 on, with a key in the keychain of this system. One row after that has no seal: there was no keychain at that time, or somebody else added it. The note in the keychain is 2 rows behind.',
      '记录被截断：第 10 条及之后的内容不见了。 从第 3 条起有封印，密钥保存在系统钥匙串里。 此后有 1 条记录没有封印：当时没有可用的钥匙串，或者是别人加入的。 钥匙串里的登记落后 2 条。',
    ],
    [
      { seal: 'noKeychain', sealedFrom: null },
      false,
      'All 9 rows agree with the one before. The keychain of this system cannot be used, so seals were not checked: whoever changes the file and computes the chain anew is not found.',
      '全部 9 条记录都与前一条衔接，没有改动。 系统钥匙串无法使用，所以没有校验封印：如果有人改动文件并重新计算整条链，将无法发现。',
    ],
    [
      { seal: 'keyGone' },
      true,
      'All 9 rows agree with the one before. The keychain has no key for this log any more, so its seals cannot be checked.',
      '全部 9 条记录都与前一条衔接，没有改动。 钥匙串里已经没有这份记录的密钥，无法校验封印。',
    ],
  ];
  for (const [changed, bad, english, chinese] of cases) {
    const check = { ...WHOLE, ...changed };
    expect(isBad(check)).toBe(bad);
    expect(findings(new Words('en'), check).join(' ')).toBe(english);
    expect(findings(new Words('zh'), check).join(' ')).toBe(chinese);
  }
});
