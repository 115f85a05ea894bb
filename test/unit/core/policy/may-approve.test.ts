import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { singleChange } from '../../../../src/core/edits/change.ts';
import {
  type ApprovalRules,
  approvalNeed,
  countedApprovals,
  isApproved,
  mayApprove,
} from '../../../../src/core/policy/may-approve.ts';
import {
  APPROVER_DEMANDS,
  type ApprovalRequirement,
  type Approvers,
  combineApprovers,
  DEFAULT_SETTINGS,
} from '../../../../src/core/state/settings.ts';
import type { Permission, Person, Vote } from '../../../../src/core/state/vote.ts';
import type { ApproverRefusal } from '../../../../src/core/step/reasons.ts';
import { bigint, proposal as sample, vote } from '../messages/sample.ts';

const ANA: Person = { id: 1, login: 'ana' };

const BEN: Person = { id: 2, login: 'ben' };

const CARL: Person = { id: 3, login: 'carl' };

const PEOPLE = [ANA, BEN, CARL, { id: 4, login: 'dora' }];

const PLAIN: ApprovalRules = { ...DEFAULT_SETTINGS, codeOwners: null, author: CARL, requester: ANA };

function verdictFor(person: Person, permission: Permission, rules: Partial<ApprovalRules>, writers: Person[] = []) {
  const verdict = mayApprove(sample(bigint, { writers }), { person, permission }, { ...PLAIN, ...rules });
  return verdict === 'yes' ? 'yes' : verdict.kind;
}

type Verdict = 'yes' | ApproverRefusal['kind'];

describe('whose approval counts', () => {
  it.each<[string, Person, Partial<ApprovalRules>, Person[], Verdict]>([
    ['the author, without a rule', CARL, {}, [], 'yes'],
    ['the author', CARL, { requireNonAuthor: true }, [], 'is-author'],
    ['a renamed author', { id: CARL.id, login: 'carla' }, { requireNonAuthor: true }, [], 'is-author'],
    ['a person with the author’s former login', { id: 9, login: 'carl' }, { requireNonAuthor: true }, [], 'yes'],
    ['any person, if the author’s account is deleted', BEN, { requireNonAuthor: true, author: null }, [], 'yes'],
    ['the requester', ANA, { requireNonRequester: true }, [], 'is-requester'],
    ['a writer of own lines', BEN, { requireNonRequester: true }, [BEN], 'is-requester'],
    ['another person', BEN, { requireNonAuthor: true, requireNonRequester: true }, [ANA], 'yes'],
  ])('%s (S70, X7)', (_who, person, rules, writers, verdict) => {
    expect(verdictFor(person, 'admin', rules, writers)).toBe(verdict);
  });

  it('nobody’s counts for a path that a rule denies, and the refusal names the rule (S127)', () => {
    const rules = [{ tools: ['edit_file'], paths: ['src/**'], decide: 'deny' }] as const;
    const verdict = mayApprove(sample(bigint), { person: BEN, permission: 'admin' }, { ...PLAIN, rules });
    expect(verdict).toEqual({ kind: 'denied-path', path: 'src/total.ts', rule: 'rules: src/**' });
  });
});

const SOURCE = 'src/old.ts';

const TARGET = 'pay/new.ts';

/** A move, so that the change has two paths. */
const MOVE = { ...bigint, op: 'move', from: SOURCE, path: TARGET } as const;

const ROLES: readonly Permission[] = ['none', 'read', 'write', 'maintain', 'admin'];

const ALL_APPROVERS = Object.keys(APPROVER_DEMANDS).filter((name): name is Approvers => name in APPROVER_DEMANDS);

const anyOwners = fc.subarray(
  PEOPLE.map(({ login }) => `@${login}`),
  { maxLength: 2 },
);

const anyRequirement: fc.Arbitrary<ApprovalRequirement> = fc.record({
  paths: fc.constantFrom(['src/**'], ['pay/**'], ['src/**', 'pay/**'], ['docs/**']),
  approvals: fc.option(fc.integer({ min: 1, max: 3 })),
  approvers: fc.option(fc.constantFrom(...ALL_APPROVERS)),
});

const anyPerson = fc.constantFrom(...PEOPLE);

const anyCase = fc.record({
  rules: fc.record({
    approvers: fc.constantFrom(...ALL_APPROVERS),
    requiredApprovals: fc.integer({ min: 1, max: 3 }),
    requireNonAuthor: fc.boolean(),
    requireNonRequester: fc.boolean(),
    require: fc.array(anyRequirement, { maxLength: 3 }),
    author: fc.option(anyPerson),
    codeOwners: fc.record({ owners: fc.record({ [SOURCE]: anyOwners, [TARGET]: anyOwners }), teams: fc.constant({}) }),
  }),
  votes: fc.array(
    fc.record({
      by: anyPerson,
      action: fc.constantFrom<Vote['action']>(
        ...(['approve', 'approve', 'approve', 'modify', 'commit'] as const),
        'deny',
      ),
      isStale: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  permissions: fc.array(fc.constantFrom(...ROLES), { minLength: 4, maxLength: 4 }),
  undoneBy: fc.option(anyPerson),
  writers: fc.subarray(PEOPLE, { maxLength: 1 }),
});

type Case = typeof anyCase extends fc.Arbitrary<infer Value> ? Value : never;

/** The rules said again in another way. It knows only the globs of this test. */
function oracle({ rules, votes, permissions, undoneBy, writers }: Case): boolean {
  const rowsOf = (path: string) => rules.require.filter(({ paths }) => paths.includes(`${path.split('/')[0]}/**`));
  const perPath = ([SOURCE, TARGET] as const).map((path) => ({
    path,
    words: [rules.approvers, ...rowsOf(path).map(({ approvers }) => approvers ?? 'write')],
  }));
  const words = perPath.flatMap((one) => one.words);
  const least = Math.max(...words.map((word) => (word.startsWith('admin') ? 4 : word.startsWith('maintain') ? 3 : 2)));
  const numbers = [SOURCE, TARGET].flatMap(rowsOf).map(({ approvals }) => approvals ?? 1);
  const owned = perPath.filter((one) => one.words.some((word) => word.endsWith('codeowners')));
  const logins = new Set<string>();
  for (const { by, action, isStale } of votes) {
    if ((action !== 'approve' && action !== 'modify') || isStale) continue;
    if (ROLES.indexOf(permissions[by.id - 1] ?? 'none') < least) continue;
    if (rules.requireNonAuthor && by === rules.author) continue;
    if (rules.requireNonRequester && [undoneBy ?? ANA, ...writers].includes(by)) continue;
    logins.add(by.login);
  }
  const isOwned = owned.every(({ path }) =>
    [...logins].some((login) => rules.codeOwners.owners[path].includes(`@${login}`)),
  );
  const isDenied = votes.some(({ action }) => action === 'deny');
  return !isDenied && logins.size >= Math.max(rules.requiredApprovals, ...numbers) && isOwned;
}

describe('whether the approvals are enough', () => {
  it('any rules, owners, roles, votes and requesters, in any order: as an oracle says (S66, S70, S77, A5, A6, A11, A12, X7)', () => {
    let through = 0;
    fc.assert(
      fc.property(anyCase, (given) => {
        const { votes, permissions, undoneBy, writers } = given;
        const undo = { kind: 'undo', undoneProposalId: 'a1b2', cancelReason: null } as const;
        const origin = undoneBy === null ? sample(MOVE).origin : { ...undo, by: undoneBy };
        const rows = votes.map(({ by, action, isStale }): Vote => {
          return { ...vote(action, by), digest: isStale ? 'other' : MOVE.digest };
        });
        const rules: ApprovalRules = { ...PLAIN, ...given.rules };
        const permissionOf = ({ by }: Vote): Permission => permissions[by.id - 1] ?? 'none';
        const expected = oracle(given);
        for (const ordered of [rows, rows.toReversed()]) {
          const one = { ...sample(MOVE, { origin, writers }), votes: ordered };
          expect(isApproved(one, rules, permissionOf)).toBe(expected);
          const counted = countedApprovals(one, rules, permissionOf).map(({ by }) => by.id);
          expect(new Set(counted).size).toBe(counted.length);
        }
        through += expected ? 1 : 0;
      }),
      { numRuns: 2_000 },
    );
    expect(through).toBeGreaterThan(30);
  });
});

describe('what a change needs', () => {
  it.each(['PAY/new.ts', 'ｐay/new.ts'])('%s is a path of `pay/**` too, also by case and width', (path) => {
    for (const glob of ['pay/**', 'Pay/**']) {
      const require = [{ paths: [glob], approvals: 2, approvers: null }];
      expect(approvalNeed(singleChange({ ...bigint, path }), { ...DEFAULT_SETTINGS, require }).approvals).toBe(2);
    }
  });

  it('globs match from the root, and of several the strictest holds', () => {
    const require: readonly ApprovalRequirement[] = [
      { paths: ['src/**'], approvals: 3, approvers: null },
      { paths: ['src/*.ts'], approvals: 2, approvers: 'admin' },
      { paths: ['*.ts'], approvals: 9, approvers: null },
    ];
    const settings = { ...DEFAULT_SETTINGS, require, approvers: 'maintain' } as const;
    const need = approvalNeed(singleChange({ ...bigint, path: 'src/a.ts' }), settings);
    expect(need).toEqual({ approvals: 3, role: 'admin', ownedPaths: [] });
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
  });
});
