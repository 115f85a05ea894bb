import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ApprovalRules,
  countedApprovals,
  findObjection,
  isApproved,
} from '../../../../src/core/policy/may-approve.ts';
import { DEFAULT_SETTINGS } from '../../../../src/core/state/settings.ts';
import type { Permission, Person, Vote } from '../../../../src/core/state/vote.ts';
import type { Objection } from '../../../../src/core/step/refusals.ts';
import { bigint, proposal as sample, vote as sampleVote } from '../messages/sample.ts';

const ANA: Person = { id: 1, login: 'ana' };

const BEN: Person = { id: 2, login: 'ben' };

const CARL: Person = { id: 3, login: 'carl' };

const PLAIN: ApprovalRules = { ...DEFAULT_SETTINGS, codeOwners: null, author: CARL, requester: ANA };

describe('whose approval counts', () => {
  it.each<[ApprovalRules['approvers'], Permission, Objection | null]>([
    ['write', 'none', 'no-write-access'],
    ['write', 'read', 'no-write-access'],
    ['write', 'write', null],
    ['write', 'maintain', null],
    ['write', 'admin', null],
    ['maintain', 'read', 'no-write-access'],
    ['maintain', 'write', 'below-maintain'],
    ['maintain', 'maintain', null],
    ['maintain', 'admin', null],
    ['admin', 'write', 'below-admin'],
    ['admin', 'maintain', 'below-admin'],
    ['admin', 'admin', null],
    ['codeowners', 'admin', 'no-code-owner'],
    ['maintain and codeowners', 'write', 'below-maintain'],
    ['admin and codeowners', 'maintain', 'below-admin'],
  ])('approvers: %s, a person with %s: %s (S66, S70)', (approvers, permission, objection) => {
    expect(findObjection({ person: BEN, permission }, { ...PLAIN, approvers }, sample(bigint))).toBe(objection);
  });

  it.each<[string, Person, Partial<ApprovalRules>, Objection | null]>([
    ['the author, without a rule', CARL, {}, null],
    ['the author', CARL, { requireNonAuthor: true }, 'is-author'],
    ['a renamed author', { id: CARL.id, login: 'carla' }, { requireNonAuthor: true }, 'is-author'],
    ['another person with the author’s former login', { id: 9, login: 'carl' }, { requireNonAuthor: true }, null],
    ['any person, if the author’s account is deleted', BEN, { requireNonAuthor: true, author: null }, null],
    ['the requester, without a rule', ANA, { requireNonAuthor: true }, null],
    ['the requester', ANA, { requireNonRequester: true }, 'is-requester'],
    ['another person', BEN, { requireNonAuthor: true, requireNonRequester: true }, null],
  ])('%s (S70)', (_who, person, rules, objection) => {
    expect(findObjection({ person, permission: 'admin' }, { ...PLAIN, ...rules }, sample(bigint))).toBe(objection);
  });
});

const PEOPLE = [ANA, BEN, CARL, { id: 4, login: 'dora' }, { id: 5, login: 'eve' }];

const PERMISSIONS: readonly Permission[] = ['none', 'read', 'write', 'maintain', 'admin'];

const anyVote = fc.record({
  who: fc.nat(PEOPLE.length - 1),
  action: fc.constantFrom<Vote['action']>('approve', 'approve', 'approve', 'modify', 'commit', 'deny', 'edit'),
  stale: fc.constantFrom(false, false, false, true),
});

const anyRules = fc.record({
  approvers: fc.constantFrom<ApprovalRules['approvers']>('write', 'maintain', 'admin', 'codeowners'),
  requireNonAuthor: fc.boolean(),
  requireNonRequester: fc.boolean(),
  requiredApprovals: fc.integer({ min: 1, max: 4 }),
  rules: fc.constant([]),
  operatorRules: fc.constant([]),
});

const anyPermissions = fc.array(fc.constantFrom(...PERMISSIONS), { minLength: 5, maxLength: 5 });

describe('how many approvals count', () => {
  it('no change is approved without enough different people who can approve, for any votes, order and current permissions (S70, S77)', () => {
    let approved = 0;
    fc.assert(
      fc.property(fc.array(anyVote, { maxLength: 8 }), anyRules, anyPermissions, (votes, given, permissions) => {
        const rules = { ...given, require: [], codeOwners: null, author: CARL, requester: ANA };
        const rows = votes.map(({ who, action, stale }): Vote => {
          const by = PEOPLE[who] ?? ANA;
          return { ...sampleVote(action, by), digest: stale ? 'other' : bigint.digest };
        });
        const one = { ...sample(bigint), votes: rows };
        const now = ({ by }: Vote): Permission => permissions[by.id - 1] ?? 'none';
        const enough = new Set(
          rows
            .filter(({ action, digest }) => (action === 'approve' || action === 'modify') && digest === bigint.digest)
            .map(({ by }) => by)
            .filter(({ id }) => isCounted(rules, id, permissions[id - 1] ?? 'none'))
            .map(({ id }) => id),
        );
        const refused = rows.some(({ action }) => action === 'deny' || action === 'edit');
        const expected = !refused && enough.size >= rules.requiredApprovals;
        expect(isApproved(one, rules, now)).toBe(expected);
        expect(isApproved({ ...one, votes: rows.toReversed() }, rules, now)).toBe(expected);
        expect(new Set(countedApprovals(one, rules, now).map(({ by }) => by.id))).toEqual(enough);
        approved += expected ? 1 : 0;
      }),
      { numRuns: 2_000 },
    );
    expect(approved).toBeGreaterThan(15);
  });
});

const anyPerson = fc.constantFrom(...PEOPLE);

describe('people who requested a change', () => {
  it.each<[string, Partial<ApprovalRules>, readonly Person[], Objection | null]>([
    ['a writer of own lines, without a rule', {}, [BEN], null],
    ['a writer of own lines', { requireNonRequester: true }, [BEN], 'is-requester'],
    ['a writer of own lines, who is not the author', { requireNonAuthor: true }, [BEN], null],
    ['another person', { requireNonAuthor: true, requireNonRequester: true }, [ANA], null],
  ])('%s (X7)', (_who, rules, writers, objection) => {
    const one = sample(bigint, { writers });
    expect(findObjection({ person: BEN, permission: 'admin' }, { ...PLAIN, ...rules }, one)).toBe(objection);
  });

  it('their approvals never satisfy a rule alone, for any role and settings (X7)', () => {
    let approved = 0;
    let refused = 0;
    fc.assert(
      fc.property(
        fc.record({ undoneBy: fc.option(anyPerson), writers: fc.subarray(PEOPLE) }),
        fc.array(anyPerson, { minLength: 1, maxLength: 4 }),
        anyRules,
        anyPermissions,
        fc.option(anyPerson),
        ({ undoneBy, writers }, voters, given, permissions, author) => {
          const rules = { ...given, require: [], codeOwners: null, author, requester: ANA };
          const undo = { kind: 'undo', undoneProposalId: 'a1b2', cancelReason: null } as const;
          const origin = undoneBy === null ? sample(bigint).origin : { ...undo, by: undoneBy };
          const votes = voters.map((by) => ({ ...sampleVote('approve', by), digest: bigint.digest }));
          const one = sample(bigint, { origin, writers, votes });
          const isThrough = isApproved(one, rules, ({ by }) => permissions[by.id - 1] ?? 'none');
          const tied = new Set([
            ...(rules.requireNonRequester ? [undoneBy ?? ANA, ...writers] : []),
            ...(rules.requireNonAuthor && author !== null ? [author] : []),
          ]);
          const others = new Set(voters.filter((person) => !tied.has(person)));
          if (isThrough) expect(others.size).toBeGreaterThanOrEqual(rules.requiredApprovals);
          if (others.size === 0) expect(isThrough).toBe(false);
          approved += isThrough ? 1 : 0;
          refused += tied.size > 0 && !isThrough ? 1 : 0;
        },
      ),
      { numRuns: 1_000 },
    );
    expect(approved).toBeGreaterThan(15);
    expect(refused).toBeGreaterThan(15);
  });
});

/** An independent implementation for comparison. */
function isCounted(rules: ApprovalRules, id: number, permission: Permission): boolean {
  if (rules.requireNonAuthor && id === CARL.id) return false;
  if (rules.requireNonRequester && id === ANA.id) return false;
  const least = { write: 2, maintain: 3, admin: 4 }[rules.approvers.split(' ')[0] ?? ''] ?? 9;
  if (rules.approvers.endsWith('codeowners')) return false;
  return PERMISSIONS.indexOf(permission) >= least;
}
