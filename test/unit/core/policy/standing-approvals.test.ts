import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change, FileChange } from '../../../../src/core/edits/change.ts';
import {
  createStandingVote,
  findObstacle,
  findScope,
  findStandingProblem,
  findUsable,
  isInForce,
  reaches,
} from '../../../../src/core/policy/standing-approvals.ts';
import type { PostedComment } from '../../../../src/core/state/posted-comment.ts';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../../src/core/state/settings.ts';
import type { StandingApproval } from '../../../../src/core/state/vote.ts';
import type { StandingObstacle } from '../../../../src/core/step/reasons.ts';
import { ana, ben, bigint, edit, proposal, total, vote } from '../messages/sample.ts';

const GRANTED_AT = '2026-01-01T00:00:10Z';

const NOW = '2026-01-01T01:00:00.000Z';

function comment(createdAt: string): PostedComment {
  return { kind: 'review-comment', id: 21, nodeId: 'n', createdAt, bodyHash: 'h', url: 'u' };
}

/** A change of src/total.ts that was posted after the standing approval. */
function posted(change: FileChange = bigint, more: Partial<Proposal> = {}): Proposal {
  return proposal(change, { comment: comment('2026-01-01T00:00:30Z'), ...more });
}

function approval(more: Partial<StandingApproval> = {}): StandingApproval {
  const vote_ = { ...vote('approve-always', ana), surface: 'conversation', writtenAt: GRANTED_AT } as const;
  const scope = { tool: 'edit_file', path: 'src/total.ts', glob: null, number: 1 } as const;
  const times = { grantedAt: GRANTED_AT, expiresAt: '2026-01-08T00:00:10.000Z' };
  return { ...scope, ...times, vote: vote_, ...more } as StandingApproval;
}

function globbed(glob: string): StandingApproval {
  return approval({ path: null, glob } as Partial<StandingApproval>);
}

describe('the reach of a standing approval', () => {
  it.each<[string, string, boolean]>([
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'docs/src/a.ts', false],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/*.ts', 'src/a.tsx', false],
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/a.ts', false],
    ['SRC/*.ts', 'src/a.ts', false],
  ])('%s from the root: %s is %s (S124)', (glob, path, isReached) => {
    expect(reaches(globbed(glob), posted({ ...bigint, path }))).toBe(isReached);
  });

  it('is one tool, one path, and what is posted in a later second (S125)', () => {
    expect(reaches(approval(), posted())).toBe(true);
    expect(reaches(approval({ tool: 'write_file' }), posted())).toBe(false);
    expect(reaches(approval(), posted({ ...bigint, path: 'src/Total.ts' }))).toBe(false);
    expect(reaches(approval(), posted(bigint, { comment: comment(GRANTED_AT) }))).toBe(false);
    expect(reaches(approval(), posted(bigint, { comment: null }))).toBe(false);
    const undo = { kind: 'undo', undoneProposalId: 'a1b2', by: ana, cancelReason: null } as const;
    expect(reaches(approval(), posted(bigint, { origin: undo }))).toBe(false);
  });

  it('a path scope reaches no other path, whatever it is (A13)', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (path) => {
        expect(reaches(approval(), posted({ ...bigint, path }))).toBe(path === 'src/total.ts');
      }),
    );
  });

  it('ends at its expiry, to the millisecond (S43)', () => {
    expect(isInForce(approval(), '2026-01-08T00:00:09.999Z')).toBe(true);
    expect(isInForce(approval(), '2026-01-08T00:00:10.000Z')).toBe(false);
  });
});

const evil = edit('src/total.ts', total, 'let total = 0;', 'let total = 0; // \u202Eevil');

const lookAlike = edit('src/total.ts', total, 'let total = 0;', 'let t\u043Etal = 0;');

const executable: FileChange = {
  ...bigint,
  base: { blob: 'a'.repeat(40), mode: '100755' },
  result: { blob: 'b'.repeat(40), mode: '100755' },
};

const IN_RUN = { rules: DEFAULT_SETTINGS, runBy: ana, now: NOW } as const;

describe('what no standing approval covers (S123, S35)', () => {
  it.each<[string, Proposal, StandingObstacle | null]>([
    ['an edit', posted(), null],
    ['an invisible character', posted(evil), 'needs-a-look'],
    ['a look-alike', posted(lookAlike), 'needs-a-look'],
    ['a look-alike in its path', posted({ ...bigint, path: 'src/t\u043Etal.ts' }), 'needs-a-look'],
    [
      'a file that would not parse',
      posted(bigint, { syntaxProblems: [{ path: 'a', line: 1, what: 'x' }] }),
      'needs-a-look',
    ],
    ['another change than its digest names', posted({ ...bigint, digest: 'f'.repeat(64) }), 'needs-a-look'],
    ['a deletion', posted({ ...bigint, op: 'delete' }), 'needs-a-look'],
    ['a move', posted({ ...bigint, op: 'move', from: 'src/from.ts' }), 'needs-a-look'],
    ['a gated reading', posted({ ...bigint, op: 'read' }), 'needs-a-look'],
    ['a change without lines', posted({ ...bigint, region: null }), 'needs-a-look'],
    ['a package manifest', posted({ ...bigint, path: 'web/package.json' }), 'needs-a-look'],
    ['a file of .github', posted({ ...bigint, path: '.GitHub/labels.yml' }), 'needs-a-look'],
    ['a denied file', posted({ ...bigint, path: '.github/workflows/ci.yml' }), 'needs-a-look'],
    ['a file that is executable', posted(executable), 'needs-a-look'],
    ['a file that becomes executable', posted({ ...bigint, result: executable.result }), 'needs-a-look'],
  ])('%s', (_what, one, obstacle) => {
    expect(findObstacle(one, DEFAULT_SETTINGS)).toBe(obstacle);
    const usable = findUsable(one, { ...IN_RUN, approvals: [globbed('**')] });
    expect(usable).toHaveLength(obstacle === null ? 1 : 0);
  });

  it('one member of a set is enough', () => {
    const set = (...members: Change['members']) => proposal({ summary: '', members, digest: '' });
    expect(findObstacle(set(bigint, { ...bigint, path: 'Makefile' }), DEFAULT_SETTINGS)).toBe('needs-a-look');
    expect(findObstacle(set(bigint, { ...bigint, op: 'delete' }), DEFAULT_SETTINGS)).toBe('needs-a-look');
    expect(findObstacle(set(bigint, evil), DEFAULT_SETTINGS)).toBe('needs-a-look');
    expect(findObstacle(set(bigint, executable), DEFAULT_SETTINGS)).toBe('needs-a-look');
  });
});

describe('the scope that a comment asks for', () => {
  it.each<[string | null, Partial<Settings>, unknown]>([
    [null, {}, { tool: 'edit_file', path: 'src/total.ts', glob: null }],
    ['src/*.ts', {}, { tool: 'edit_file', path: null, glob: 'src/*.ts' }],
    [null, { standingApprovals: 'path' }, { tool: 'edit_file', path: 'src/total.ts', glob: null }],
    ['src/*.ts', { standingApprovals: 'path' }, 'switched-off'],
    [null, { standingApprovals: 'off' }, 'switched-off'],
    ['SRC/*.ts', {}, 'unclear-scope'],
    ['*.ts', {}, 'unclear-scope'],
    [null, { requireNonAuthor: true }, 'needs-others'],
    [null, { requireNonRequester: true }, 'needs-others'],
    [null, { requiredApprovals: 2 }, 'needs-others'],
    [null, { approvers: 'codeowners' }, 'needs-others'],
    [null, { require: [{ paths: ['src/**'], approvals: 2, approvers: null }] }, 'needs-others'],
    [null, { approvers: 'admin' }, { tool: 'edit_file', path: 'src/total.ts', glob: null }],
    ...[
      ...['/src/*.ts', '../src/*.ts', 'src/../*.ts', './*.ts', 'src\\*.ts', '`src/*.ts`', '"src/*.ts"', 'src/'],
      ...['src/*', 'src/**', 'src/**/*.ts', '**', '*', 'src/total.*', '*/*.ts', 's\u200Brc/*.ts', 'src/{a,b}/*.ts'],
      ...['!docs/*.ts', 'src//*.ts', 'src/t*.ts', 'cafe\u0301/*.ts', `${'a/'.repeat(120)}*.ts`],
    ].map((glob) => [glob, {}, 'unclear-scope'] as [string, Partial<Settings>, unknown]),
  ])('%j with %j', (glob, settings, scope) => {
    expect(findScope(posted(), glob, { ...DEFAULT_SETTINGS, ...settings })).toEqual(scope);
  });
});

describe('a use, checked again', () => {
  const use = createStandingVote(approval(), posted(), 'write', NOW);
  const context = { ...IN_RUN, approvals: [approval()] };

  it('is a vote of the person on this change, with the granting comment as its source (S71)', () => {
    expect(use).toMatchObject({
      ...{ action: 'approve', by: ana, proposalId: 'k7q2', digest: bigint.digest, writtenAt: GRANTED_AT, text: null },
      standingApproval: { number: 1, tool: 'edit_file', path: 'src/total.ts', glob: null },
    });
    expect(use.standingApproval).not.toHaveProperty('vote');
    expect(findStandingProblem(use, posted(), context)).toBeNull();
  });

  it.each<[string, Partial<Parameters<typeof findStandingProblem>[2]>, Proposal]>([
    ['taken back', { approvals: [] }, posted()],
    ['another person’s', { approvals: [approval({ vote: { ...approval().vote, by: ben } })] }, posted()],
    ['expired', { now: '2026-02-01T00:00:00.000Z' }, posted()],
    ['switched off', { rules: { ...DEFAULT_SETTINGS, standingApprovals: 'off' } }, posted()],
    ['out of reach', {}, posted({ ...bigint, path: 'README.md' })],
    ['protected now', { rules: { ...DEFAULT_SETTINGS, protectedPaths: ['src/**'] } }, posted()],
    ['not enough alone', { rules: { ...DEFAULT_SETTINGS, requiredApprovals: 2 } }, posted()],
    ['in another person’s run', { runBy: ben }, posted()],
  ])('does not count once it is %s (S125)', (_why, changed, one) => {
    expect(findStandingProblem(use, one, { ...context, ...changed })).toBe('standing-ended');
  });
});
