import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approvalNeed } from '../../../../src/core/policy/approval-need.ts';
import { type ApprovalRules, isApproved } from '../../../../src/core/policy/may-approve.ts';
import { SettingsFileSchema } from '../../../../src/core/settings/settings-schema.ts';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import {
  APPROVER_DEMANDS,
  type ApprovalRequirement,
  type Approvers,
  combineApprovers,
  DEFAULT_SETTINGS,
} from '../../../../src/core/state/settings.ts';
import type { Permission, Person } from '../../../../src/core/state/vote.ts';
import { bigint, proposal as sample, vote } from '../messages/sample.ts';

/** The words that a file can have come from the schema, so that a new one is in every table below. */
const WORDS: readonly Approvers[] = SettingsFileSchema.shape.approvers.unwrap().options;

const ALL_APPROVERS = Object.keys(APPROVER_DEMANDS).filter((name): name is Approvers => name in APPROVER_DEMANDS);

const ROLES: readonly Permission[] = ['none', 'read', 'write', 'maintain', 'admin'];

const PEOPLE: readonly Person[] = ['ana', 'ben', 'carl', 'dora'].map((login, index) => ({ id: index + 1, login }));

const [ANA, BEN] = PEOPLE;

const SOURCE = 'src/old.ts';

const TARGET = 'pay/new.ts';

/** A move, so that the change has two paths. */
const MOVE = { ...bigint, op: 'move', from: SOURCE, path: TARGET } as const;

type Case = {
  readonly rules: ApprovalRules;
  readonly votes: readonly { readonly by: Person; readonly permission: Permission }[];
};

function toProposal(votes: Case['votes']): Proposal {
  const rows = votes.map(({ by }) => ({ ...vote('approve', by), digest: MOVE.digest }));
  return { ...sample(MOVE), votes: rows };
}

function isThrough({ rules, votes }: Case): boolean {
  return isApproved(
    toProposal(votes),
    rules,
    ({ by }) => votes.find((one) => one.by.id === by.id)?.permission ?? 'none',
  );
}

/** The rules said again in another way: which sets of people are enough. It knows only the two globs of this test. */
function oracle({ rules, votes }: Case): boolean {
  const covers = ({ paths }: ApprovalRequirement, path: string): boolean => paths.includes(`${path.split('/')[0]}/**`);
  const perPath = [SOURCE, TARGET].map((path) => ({ path, rows: rules.require.filter((row) => covers(row, path)) }));
  const words = [rules.approvers, ...perPath.flatMap(({ rows }) => rows.map(({ approvers }) => approvers ?? 'write'))];
  const least = Math.max(...words.map((word) => (word.startsWith('admin') ? 4 : word.startsWith('maintain') ? 3 : 2)));
  const needed = Math.max(
    rules.requiredApprovals,
    ...perPath.flatMap(({ rows }) => rows.map((row) => row.approvals ?? 1)),
  );
  const owned = perPath
    .filter(({ rows }) =>
      [rules.approvers, ...rows.map((row) => row.approvers ?? '')].some((word) => word.endsWith('codeowners')),
    )
    .map(({ path }) => rules.codeOwners?.owners[path] ?? []);
  const logins = new Set<string>();
  for (const { by, permission } of votes) {
    if (ROLES.indexOf(permission) < least) continue;
    if (rules.requireNonAuthor && by === rules.author) continue;
    if (rules.requireNonRequester && by === rules.requester) continue;
    logins.add(by.login);
  }
  const hasOwners = owned.every((owners) => [...logins].some((login) => owners.includes(`@${login}`)));
  // With one approval, people who own nothing do not count, so that an owner's is that one.
  return logins.size >= needed && hasOwners;
}

const anyRequirement: fc.Arbitrary<ApprovalRequirement> = fc.record({
  paths: fc.constantFrom(['src/**'], ['pay/**'], ['src/**', 'pay/**'], ['docs/**']),
  approvals: fc.option(fc.integer({ min: 1, max: 3 })),
  approvers: fc.option(fc.constantFrom(...WORDS)),
});

const NO_PATH_RULES = { rules: [], operatorRules: [] } as const;

const anyOwners = fc.subarray(
  PEOPLE.map(({ login }) => `@${login}`),
  { maxLength: 2 },
);

const anyRules: fc.Arbitrary<ApprovalRules> = fc
  .record({
    approvers: fc.constantFrom(...ALL_APPROVERS),
    requiredApprovals: fc.integer({ min: 1, max: 3 }),
    requireNonAuthor: fc.boolean(),
    requireNonRequester: fc.boolean(),
    require: fc.array(anyRequirement, { maxLength: 3 }),
    source: anyOwners,
    target: anyOwners,
  })
  .map(({ source, target, ...rules }) => ({
    ...rules,
    ...NO_PATH_RULES,
    author: ANA ?? null,
    requester: BEN ?? null,
    codeOwners: {
      owners: { [SOURCE]: source, [TARGET]: target },
      teams: {},
    },
  }));

const anyVotes = fc
  .tuple(fc.subarray([...PEOPLE]), fc.array(fc.constantFrom(...ROLES), { minLength: 4, maxLength: 4 }))
  .map(([people, roles]) => people.map((by, index) => ({ by, permission: roles[index] ?? 'none' })));

const anyCase: fc.Arbitrary<Case> = fc.record({ rules: anyRules, votes: anyVotes });

describe('what a change needs', () => {
  it('a table of every role, approvers, require, number, four eyes and owner says the same as an oracle (S66, S70, A5, A6, A11, A12)', () => {
    let through = 0;
    let stopped = 0;
    for (const approvers of WORDS)
      for (const byRequire of [null, ...WORDS])
        for (const permission of ROLES)
          for (const needed of [1, 2])
            for (const fourEyes of [false, true])
              for (const owner of ['@ana', '@carl', '@acme/pay', 'ana@example.com', null])
                for (const voters of [[0], [2], [0, 2], [2, 3], [0, 1, 2, 3]]) {
                  const owners = owner === null ? [] : [owner];
                  const rules: ApprovalRules = {
                    ...NO_PATH_RULES,
                    ...{
                      approvers,
                      requiredApprovals: needed,
                      requireNonAuthor: fourEyes,
                      requireNonRequester: fourEyes,
                    },
                    require: byRequire === null ? [] : [{ paths: ['pay/**'], approvals: null, approvers: byRequire }],
                    ...{ author: ANA ?? null, requester: BEN ?? null },
                    codeOwners: {
                      owners: { [SOURCE]: owners, [TARGET]: owners },
                      teams: {},
                    },
                  };
                  const votes = PEOPLE.flatMap((by, index) => (voters.includes(index) ? [{ by, permission }] : []));
                  const expected = oracle({ rules, votes });
                  expect(isThrough({ rules, votes }), JSON.stringify({ rules, votes })).toBe(expected);
                  if (expected) through += 1;
                  else stopped += 1;
                }
    expect(through).toBeGreaterThan(200);
    expect(stopped).toBeGreaterThan(1_000);
  });

  it('any rules, owners and votes say the same as an oracle', () => {
    let through = 0;
    fc.assert(
      fc.property(anyCase, (given) => {
        const expected = oracle(given);
        expect(isThrough(given)).toBe(expected);
        through += expected ? 1 : 0;
      }),
      { numRuns: 4_000 },
    );
    expect(through).toBeGreaterThan(50);
  });

  it('a further requirement, fewer approvers, fewer owners or a tighter bound never lets through what was stopped (S127)', () => {
    fc.assert(
      fc.property(
        ...([anyCase, anyRequirement, fc.constantFrom(...ALL_APPROVERS), fc.nat(3), fc.nat(3)] as const),
        (given, requirement, bound, voter, owner) => {
          if (isThrough(given)) return;
          const { rules, votes } = given;
          const owners = {
            ...rules.codeOwners?.owners,
            [TARGET]: (rules.codeOwners?.owners[TARGET] ?? []).slice(owner),
          };
          const codeOwners = rules.codeOwners === null ? null : { ...rules.codeOwners, owners };
          const tighter: readonly Case[] = [
            { votes, rules: { ...rules, require: [...rules.require, requirement] } },
            { votes, rules: { ...rules, require: [requirement, ...rules.require] } },
            { votes, rules: { ...rules, approvers: combineApprovers(rules.approvers, bound) } },
            { votes, rules: { ...rules, requiredApprovals: rules.requiredApprovals + 1 } },
            { votes, rules: { ...rules, codeOwners } },
            { votes, rules: { ...rules, codeOwners: null } },
            { votes: votes.filter((_, index) => index !== voter), rules },
          ];
          expect(tighter.map(isThrough)).toEqual(tighter.map(() => false));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it.each(['PAY/new.ts', 'ｐay/new.ts'])('%s is a path of `pay/**` too, also by case and width', (path) => {
    const require = [{ paths: ['pay/**'], approvals: 2, approvers: null }];
    expect(approvalNeed({ change: { ...bigint, path } }, { ...DEFAULT_SETTINGS, require }).approvals).toBe(2);
    const capitals = [{ paths: ['Pay/**'], approvals: 2, approvers: null }];
    expect(approvalNeed({ change: { ...bigint, path } }, { ...DEFAULT_SETTINGS, require: capitals }).approvals).toBe(2);
  });

  it('globs match from the root, and of several the strictest holds', () => {
    const require: readonly ApprovalRequirement[] = [
      { paths: ['src/**'], approvals: 3, approvers: null },
      { paths: ['src/*.ts'], approvals: 2, approvers: 'admin' },
      { paths: ['*.ts'], approvals: 9, approvers: null },
    ];
    const need = approvalNeed(
      { change: { ...bigint, path: 'src/a.ts' } },
      { ...DEFAULT_SETTINGS, require, approvers: 'maintain' },
    );
    expect(need).toMatchObject({ approvals: 3, role: 'admin', ownedPaths: [], roleBy: 'require' });
  });

  it('a bound and a rule about approvers both hold (S127)', () => {
    for (const one of ALL_APPROVERS)
      for (const other of ALL_APPROVERS) {
        const both = APPROVER_DEMANDS[combineApprovers(one, other)];
        for (const { role, codeOwners } of [APPROVER_DEMANDS[one], APPROVER_DEMANDS[other]]) {
          expect(ROLES.indexOf(both.role)).toBeGreaterThanOrEqual(ROLES.indexOf(role));
          expect(both.codeOwners || !codeOwners).toBe(true);
        }
      }
    expect(combineApprovers('admin', 'codeowners')).toBe('admin and codeowners');
    expect(combineApprovers('write', 'codeowners')).toBe('codeowners');
  });
});
