import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Change, singleChange } from '../../../../src/core/edits/change.ts';
import {
  canBeNamed,
  decideReading,
  findChangeRule,
  findDeniedPath,
  isProtected,
} from '../../../../src/core/policy/path-policy.ts';
import { globMatcher } from '../../../../src/core/policy/paths.ts';
import { DEFAULT_SETTINGS, type PathRule, type PathRules } from '../../../../src/core/state/settings.ts';
import type { ToolName } from '../../../../src/core/state/tools.ts';
import { cpuSeconds } from '../../../support/cpu-time.ts';
import { bigint } from '../messages/sample.ts';

function rulesOf(rules: readonly PathRule[], operatorRules: readonly PathRule[] = []): PathRules {
  return { rules, operatorRules };
}

const deny = (paths: readonly string[], ...tools: readonly ToolName[]): PathRule => ({ tools, paths, decide: 'deny' });

const ask = (...paths: readonly string[]): PathRule => ({ tools: ['read_file'], paths, decide: 'ask' });

const allow = (...paths: readonly string[]): PathRule => ({ tools: ['read_file'], paths, decide: 'allow' });

const kindOf = (rules: PathRules, path: string) => decideReading(rules, 'read_file', path).kind;

describe('rules by path', () => {
  it('globs begin at the root (S124)', () => {
    const rules = rulesOf([deny(['gen/**', '*.sql'], 'edit_file')]);
    expect(findChangeRule(rules, ['edit_file'], 'gen/a/b.ts')).toBe('rules: gen/**');
    expect(findChangeRule(rules, ['edit_file'], 'a.sql')).toBe('rules: *.sql');
    for (const path of ['src/gen/a.ts', 'db/a.sql', 'gen', 'generated/a'])
      expect(findChangeRule(rules, ['edit_file'], path)).toBeNull();
    expect(findChangeRule(rules, ['write_file'], 'gen/a.ts')).toBeNull();
  });

  it.each(['SECRETS/a', 'Secrets/A', 'ſecrets/a', 'ｓecrets/a'])('%s is decided by secrets/** (S14)', (path) => {
    for (const glob of ['secrets/**', 'Secrets/**'])
      expect(kindOf(rulesOf([deny([glob], 'read_file')]), path)).toBe('deny');
    expect(kindOf(rulesOf([allow('secrets/**'), deny(['**'], 'read_file')]), path)).toBe('allow');
  });

  it('what read_file may not show, no other tool shows or changes, and a listing names what people can allow', () => {
    const rules = rulesOf([deny(['private/**'], 'read_file'), ask('payroll/**')]);
    for (const tool of ['read_file', 'search', 'outline', 'read_diff', 'read_discussion', 'list_files'] as const) {
      expect(decideReading(rules, tool, 'private/a').kind).toBe('deny');
      expect(decideReading(rules, tool, 'payroll/a').kind).toBe('ask');
    }
    expect(findChangeRule(rules, ['edit_file'], 'private/a')).toBe('rules: private/**');
    expect([canBeNamed(rules, 'private/a'), canBeNamed(rules, 'payroll/a')]).toEqual([false, true]);
    const unlisted = rulesOf([deny(['hidden/**'], 'list_files')]);
    expect([canBeNamed(unlisted, 'hidden/a'), kindOf(unlisted, 'hidden/a')]).toEqual([false, 'allow']);
  });

  it('built-in denials stand above any rule (interface 7)', () => {
    const rules = rulesOf([allow('**')], [allow('**')]);
    expect(kindOf(rules, '.env')).toBe('deny');
    expect(findChangeRule(rules, ['write_file'], '.github/workflows/ci.yml')).toBe('.github/workflows/**');
  });

  it('a set is denied by any of its members, and by a rule for its own tool (S127)', () => {
    const rules = rulesOf([deny(['gen/**'], 'write_file', 'delete_file', 'edit_file')]);
    const change = singleChange({ ...bigint, path: 'src/a.ts' });
    const deletion = { ...bigint, op: 'delete', path: 'gen/b' } as const;
    const set: Change = { summary: '', members: [...change.members, deletion], digest: '' };
    expect(findDeniedPath(rules, { change: set, origin: { kind: 'undo' } })?.path).toBe('gen/b');
    const ofSets = rulesOf([deny(['src/**'], 'change_files')]);
    expect(findDeniedPath(ofSets, { change, origin: { kind: 'call', tool: 'change_files' } })).not.toBeNull();
    expect(findDeniedPath(ofSets, { change, origin: { kind: 'call', tool: 'edit_file' } })).toBeNull();
  });
});

const GLOBS = ['**', 'a/**', 'a/*', 'A/**', '**/b', 'a/b', '*', '**/*.env', 'а/**'];

const PATHS = ['a/b', 'A/B', 'а/b', 'b', 'a/c/b', 'x.env', '.env', 'a/b/c'];

const anyRule: fc.Arbitrary<PathRule> = fc
  .record({
    decide: fc.constantFrom('deny', 'ask', 'allow'),
    paths: fc.array(fc.constantFrom(...GLOBS), { minLength: 1, maxLength: 3 }),
    other: fc.constantFrom<ToolName>('edit_file', 'search', 'move_file'),
    isOther: fc.boolean(),
  })
  .map(({ decide, paths, other, isOther }) => ({
    ...{ decide, paths },
    tools: [decide === 'deny' && isOther ? other : 'read_file'],
  }));

const anyRules = fc.record({
  rules: fc.array(anyRule, { maxLength: 4 }),
  operatorRules: fc.array(anyRule, { maxLength: 3 }),
});

const STRICT = { allow: 0, ask: 1, deny: 2 };

describe('for any rules', () => {
  it('an ordinary path is decided by the first match of each list, and the stricter one holds', () => {
    const plain = PATHS.filter((path) => /^[a-z/.]+$/.test(path) && path !== '.env' && path !== 'x.env');
    const lowerCase = (rules: readonly PathRule[]) =>
      rules.map((rule) => ({ ...rule, paths: rule.paths.filter((glob) => /^[a-z/.*]+$/.test(glob)) }));
    fc.assert(
      fc.property(anyRules, fc.constantFrom(...plain), (given, path) => {
        const rules = { rules: lowerCase(given.rules), operatorRules: lowerCase(given.operatorRules) };
        const first = (list: readonly PathRule[]) =>
          list.find(({ tools, paths }) => tools.includes('read_file') && paths.some((glob) => globMatcher(glob)(path)))
            ?.decide ?? 'allow';
        const [own, ofOperator] = [first(rules.rules), first(rules.operatorRules)];
        expect(kindOf(rules, path)).toBe(STRICT[own] > STRICT[ofOperator] ? own : ofOperator);
      }),
      { numRuns: 700 },
    );
  });

  it('a file full of rules takes no time that a listing would notice', () => {
    const rules = rulesOf(Array.from({ length: 100 }, (_, at) => deny([`src/${at}/**`, `**/${at}.ts`], 'read_file')));
    const paths = Array.from({ length: 20_000 }, (_, at) => `lib/part${at % 50}/file${at}.ts`);
    expect(cpuSeconds(() => expect(paths.every((path) => canBeNamed(rules, path))).toBe(true))).toBeLessThan(4);
  });
});

describe('protected paths', () => {
  it('are those of the built-in list and those of the settings, without case and Unicode form (S123)', () => {
    const settings = { ...DEFAULT_SETTINGS, protectedPaths: ['src/Auth/**', '*.sql'] };
    for (const path of ['src/auth/a.ts', 'SRC/AUTH/a', 'a.SQL', 'package.json'])
      expect(isProtected(path, settings)).toBe(true);
    for (const path of ['src/a.ts', 'lib/src/auth/a', 'db/a.sql']) expect(isProtected(path, settings)).toBe(false);
  });
});
