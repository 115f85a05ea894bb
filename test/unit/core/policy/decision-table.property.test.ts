import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SetValues } from '../../../../src/core/settings/settings-file.ts';
import { SettingsFileSchema } from '../../../../src/core/settings/settings-schema.ts';
import type { Permission } from '../../../../src/core/state/vote.ts';
import { editAt, isCommitted, PEOPLE, settingsOf, WAYS, type Who } from './decision-table.ts';

const { shape } = SettingsFileSchema;

const RULE = shape.rules.unwrap().element.shape;

const REQUIREMENT = shape.require.unwrap().element.shape;

const GLOBS = ['**', 'src/**', 'SRC/*', 'pay/**', 'docs/**'];

const CHANGES = [editAt('src/total.ts'), editAt('pay/total.ts'), editAt('.husky/total.ts')];

const ROLES: readonly Permission[] = ['none', 'read', 'write', 'maintain', 'admin'];

/** Values of keys with a ceiling, each one stricter than those before it. `codeowners` compares with `write` alone. */
const FROM_LOOSE_TO_STRICT: Readonly<Record<string, readonly unknown[]>> = {
  approvers: ['write', 'maintain', 'admin'],
  require_non_author: [false, true],
  require_non_requester: [false, true],
  required_approvals: [1, 2, 3],
  standing_approvals: ['glob', 'path', 'off'],
};

const anyGlobs = fc.uniqueArray(fc.constantFrom(...GLOBS), { minLength: 1, maxLength: 2 });

const anyDenial = fc.record({
  tools: fc.uniqueArray(fc.constantFrom(...RULE.tools.element.options), { minLength: 1, maxLength: 3 }),
  paths: anyGlobs,
  decide: fc.constant('deny'),
});

const anyRule = fc.oneof(
  anyDenial,
  fc.record({ tools: fc.constant(['read_file']), paths: anyGlobs, decide: fc.constantFrom(...RULE.decide.options) }),
);

const anyRequirement = fc.record({
  paths: anyGlobs,
  approvals: fc.integer({ min: 1, max: 3 }),
  approvers: fc.constantFrom(...REQUIREMENT.approvers.unwrap().options),
});

/** This value, or else any other one: most changes should get through, or nothing could stop them. */
function mostly<Value>(usual: Value, any: fc.Arbitrary<Value>, weight = 3): fc.Arbitrary<Value> {
  return fc.oneof({ weight, arbitrary: fc.constant(usual) }, any);
}

function few<Value>(entry: fc.Arbitrary<Value>): fc.Arbitrary<readonly Value[]> {
  return mostly<readonly Value[]>([], fc.array(entry, { maxLength: 2 }));
}

/** The keys of either file that decide about an approval; a file sets some of them. */
const anyFile = fc.record(
  {
    approvers: fc.constantFrom(...shape.approvers.unwrap().options),
    required_approvals: mostly(1, fc.integer({ min: 1, max: 3 })),
    require_non_author: fc.boolean(),
    require_non_requester: fc.boolean(),
    standing_approvals: fc.constantFrom(...shape.standing_approvals.unwrap().options),
    rules: few(anyRule),
    require: few(anyRequirement),
    protected_paths: few(fc.constantFrom(...GLOBS)),
  },
  { requiredKeys: [] },
);

type Given = {
  readonly repository: SetValues;
  readonly operator: SetValues;
  readonly ceilings: SetValues;
  readonly who: readonly Who[];
  readonly role: Permission;
  readonly owners: readonly string[];
};

const EVERYBODY = ['author', 'requester', 'owner'] as const;

const anyGiven: fc.Arbitrary<Given> = fc.record({
  repository: mostly<SetValues>({}, anyFile, 1),
  operator: mostly<SetValues>({}, anyFile),
  ceilings: mostly<SetValues>(
    {},
    fc.record(
      Object.fromEntries(Object.entries(FROM_LOOSE_TO_STRICT).map(([key, all]) => [key, fc.constantFrom(...all)])),
      { requiredKeys: [] },
    ),
  ),
  who: mostly<readonly Who[]>(['requester', 'owner'], fc.subarray([...EVERYBODY], { minLength: 1 })),
  role: fc.constantFrom('write', 'maintain', 'admin', 'read'),
  owners: fc.subarray(
    Object.values(PEOPLE).map(({ login }) => `@${login}`),
    { minLength: 1 },
  ),
});

const anyPlace = fc.record({
  change: fc.constantFrom(...CHANGES),
  tool: fc.constantFrom('edit_file', 'change_files'),
  way: fc.constantFrom(...WAYS),
  surface: fc.constantFrom('conversation', 'thread'),
});

function inserted(values: SetValues, key: string, entry: unknown, at: number): SetValues {
  const list = Array.isArray(values[key]) ? values[key] : [];
  return { ...values, [key]: list.toSpliced(at % (list.length + 1), 0, entry) };
}

/** Puts an entry into a list of the repository's file or of the operator's. */
function anyAddition(key: string, entry: fc.Arbitrary<unknown>): fc.Arbitrary<Tightening> {
  return fc.tuple(entry, fc.nat(4), fc.constantFrom('repository', 'operator')).map(([one, at, file]) => (given) => ({
    ...given,
    [file]: inserted(given[file], key, one, at),
  }));
}

/** A change that makes the rules stricter, or takes away a condition of an approval. */
type Tightening = (given: Given) => Given;

const TIGHTENINGS: Readonly<Record<string, fc.Arbitrary<Tightening>>> = {
  'a denial': anyAddition('rules', anyDenial),
  'a requirement': anyAddition('require', anyRequirement),
  'a protected path': anyAddition('protected_paths', fc.constantFrom(...GLOBS)),
  'one approver less': fc
    .nat(2)
    .map((at) => (given) => ({ ...given, who: given.who.filter((_, index) => index !== at) })),
  'a lower role': fc.constant((given) => ({ ...given, role: ROLES[ROLES.indexOf(given.role) - 1] ?? 'none' })),
  'fewer owners': fc.nat(1).map((kept) => (given) => ({ ...given, owners: given.owners.slice(0, kept) })),
  ...Object.fromEntries(
    Object.entries(FROM_LOOSE_TO_STRICT).map(([key, values]) => [
      `a ceiling of ${key}`,
      fc.constantFrom(...values).map(
        (value): Tightening =>
          (given) =>
            withCeiling(given, key, value),
      ),
    ]),
  ),
  'a ceiling of code owners': fc.constant((given) =>
    ['write', undefined].some((ceiling) => ceiling === given.ceilings['approvers'])
      ? { ...given, ceilings: { ...given.ceilings, approvers: 'codeowners' } }
      : given,
  ),
};

/** The stricter one of this ceiling and the one that was there. */
function withCeiling(given: Given, key: string, value: unknown): Given {
  const values = FROM_LOOSE_TO_STRICT[key] ?? [];
  const stricter = values[Math.max(values.indexOf(given.ceilings[key]), values.indexOf(value))];
  return { ...given, ceilings: { ...given.ceilings, [key]: stricter } };
}

describe('with any settings', () => {
  it.each(Object.entries(TIGHTENINGS))(
    '%s never lets through what was stopped (S66, S123, S127)',
    (what, tightening) => {
      let stops = 0;
      fc.assert(
        fc.property(anyGiven, anyPlace, tightening, (given, place, tighten) => {
          const isThrough = ({ repository, operator, ceilings, who, role, owners }: Given): boolean =>
            isCommitted({ ...place, who, role, owners, settings: settingsOf(repository, { ...operator, ceilings }) });
          const [before, after] = [isThrough(given), isThrough(tighten(given))];
          expect(after && !before).toBe(false);
          if (before && !after) stops += 1;
        }),
        // Fewer owners seldom stop anything.
        { numRuns: what === 'fewer owners' ? 400 : 120 },
      );
      expect(stops).toBeGreaterThan(0);
    },
  );

  it('no list of a repository lets through what those of the operator stop, whoever approves (S127, J1)', () => {
    const anyLists = fc.record({
      rules: fc.array(anyRule, { maxLength: 2 }),
      require: few(anyRequirement),
      protected_paths: few(fc.constantFrom(...GLOBS)),
    });
    const anyApprovers = fc.subarray([...EVERYBODY], { minLength: 1 });
    const owners = Object.values(PEOPLE).map(({ login }) => `@${login}`);
    let stopped = 0;
    fc.assert(
      fc.property(anyLists, anyLists, anyPlace, anyApprovers, (operator, repository, place, who) => {
        const [alone, beside] = [{}, repository].map((own) =>
          isCommitted({ ...place, who, role: 'admin', owners, settings: settingsOf(own, operator) }),
        );
        expect(beside && !alone).toBe(false);
        if (!alone) stopped += 1;
      }),
      { numRuns: 150 },
    );
    expect(stopped).toBeGreaterThan(20);
  });
});
