import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type FileChange, type Region, singleChange } from '../../../../src/core/edits/change.ts';
import { relocateRegion } from '../../../../src/core/edits/region.ts';
import { blobSha, encodeText } from '../../../../src/core/edits/text/characters.ts';
import { DEFAULT_COMMIT_STYLE } from '../../../../src/core/policy/commit-message.ts';
import { countersign } from '../../../../src/core/policy/countersign.ts';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import { DEFAULT_SETTINGS, type PathRule } from '../../../../src/core/state/settings.ts';
import type { VoteSource } from '../../../../src/core/state/vote.ts';
import type { FileContent } from '../../../../src/core/step/ports.ts';
import { ana, bigint, head, links, proposal, total, vote } from '../messages/sample.ts';

const BODY = '/approve k7q2';

const APPROVAL = { ...vote('approve', ana), surface: 'conversation', bodyHash: hash('sha256', BODY, 'hex') } as const;

const SOURCE: VoteSource = {
  authorId: ana.id,
  authorLogin: ana.login,
  body: BODY,
  createdAt: '2026-01-01T00:00:00Z',
  viaApp: false,
  thread: null,
  reviewState: null,
};

const RULES = { ...DEFAULT_SETTINGS, codeOwners: null, author: null, requester: null };

/**
 * Countersigns a change that ana approved as `shown`, from a row that now holds `stored`, for a file with this text.
 */
function sign(
  stored: FileChange,
  options: {
    shown?: FileChange;
    text?: string;
    region?: Region | null;
    source?: VoteSource | null;
    denied?: string;
    of?: Partial<Proposal>;
  } = {},
) {
  const { shown = bigint, text = total, region = stored.region, source = SOURCE, denied, of = {} } = options;
  const denials: readonly PathRule[] =
    denied === undefined ? [] : [{ tools: ['edit_file'], paths: [denied], decide: 'deny' }];
  const voteSources = { 'conversation:5': source };
  const voted = proposal(shown, { state: 'executing', votes: [APPROVAL], ...of });
  const change = singleChange(stored);
  const file = { ref: { blob: blobSha(encodeText(text)), mode: '100644' }, text } as const;
  return countersign({
    branch: 'topic',
    headSha: head,
    toCommit: [{ proposal: { ...voted, change }, regions: [region], permissions: { [ana.id]: 'write' }, voteSources }],
    files: new Map([[shown.path, file]]),
    rules: { ...RULES, rules: denials },
    standing: { approvals: [], rules: RULES, runBy: null, now: '2026-01-01T00:01:00Z' },
    links,
    style: DEFAULT_COMMIT_STYLE,
  });
}

function blobIn(content: FileContent): string | null {
  return content.kind === 'bytes' ? blobSha(content.bytes) : null;
}

function regionOf(change: FileChange): Region {
  if (change.region === null) throw new Error('It has no lines.');
  return change.region;
}

describe('the words above the trailers', () => {
  const subjectOf = (stored: FileChange, of: Partial<Proposal>) => sign(stored, { of }).plan.message.split('\n')[0];

  it('come from the approved change, not from the stored description', () => {
    const { payload } = bigint;
    const reworded = { ...bigint, payload: { ...payload, description: 'Revert the security mend' } };
    for (const stored of [bigint, reworded]) expect(subjectOf(stored, { modelReason: null })).toBe(payload.description);
  });

  it('R26: are the model’s reason, but for a person’s own lines and for an undo', () => {
    const modelReason = 'Sums beyond 2^53 lose digits';
    expect(subjectOf(bigint, { modelReason })).toBe(modelReason);
    const originalChange = singleChange(bigint);
    const userEdit = { diff: '', revertRegion: regionOf(bigint), originalChange, reposted: false };
    expect(subjectOf(bigint, { modelReason, userEdit })).toBe(bigint.payload.description);
    const origin = { kind: 'undo', undoneProposalId: 'm3x8', by: ana } as const;
    expect(subjectOf(bigint, { modelReason, origin })).toMatch(/^Undo m3x8 in /);
  });
});

describe('a path that a rule denies by now (S127)', () => {
  it('is not committed, whoever approved it', () => {
    expect(sign(bigint, { denied: 'lib/**' }).plan.proposalIds).toHaveLength(1);
    expect(() => sign(bigint, { denied: '**' })).toThrow('does not have enough approvals that count');
  });
});

describe('only the shown change is countersigned (S92, B3)', () => {
  it('an unchanged row is countersigned with the digest that people saw', () => {
    const { plan, committedVersions } = sign(bigint);
    expect(committedVersions['k7q2']?.digest).toBe(bigint.digest);
    expect(plan.message).toContain(`Countersign-Digest: sha256:${bigint.digest}`);
    expect(plan.files.map(({ content }) => blobIn(content))).toEqual([bigint.result?.blob]);
  });

  it('any different line in the row is refused', () => {
    const region = regionOf(bigint);
    for (const side of ['before', 'old', 'new', 'after'] as const) {
      const lines = region[side].map((line, at) => (at === 0 ? line.replace(/\S/, '#') : line));
      expect(lines).not.toEqual(region[side]);
      expect(() => sign({ ...bigint, region: { ...region, [side]: lines } })).toThrow('differs from what was shown');
    }
  });

  it('another digest in the row has no approvals, even if it matches other lines in the row', () => {
    const forged = { ...bigint, digest: 'f'.repeat(64) };
    expect(() => sign(forged)).toThrow('does not have enough approvals that count');
  });

  it('another path, mode or result blob is refused', () => {
    expect(() => sign({ ...bigint, path: 'src/other.ts' })).toThrow('differs from what was shown');
    const result = { blob: bigint.result?.blob ?? '', mode: '100755' } as const;
    expect(() => sign({ ...bigint, result })).toThrow('differs from what was shown');
    expect(() => sign({ ...bigint, result: { blob: '0'.repeat(40), mode: '100644' } })).toThrow('other bytes');
  });

  it('the payload’s content is never written', () => {
    if (bigint.payload.type !== 'edit') throw new Error('It is an edit.');
    const payload = { ...bigint.payload, new_string: 'let total = steal();' };
    const { plan } = sign({ ...bigint, payload });
    expect(plan.files.map(({ content }) => blobIn(content))).toEqual([bigint.result?.blob]);
  });

  it('lines other than those shown are refused at any place', () => {
    const region = { ...regionOf(bigint), new: ['  let total = 1n;\n'] };
    expect(() => sign(bigint, { region })).toThrow('would write other lines than were shown');
  });

  it('if only the context changed, the trailer has the current digest and the vote the one that people saw', () => {
    const text = total.replace('for (const item of items)', 'for (const one of items)');
    const region = relocateRegion(text, regionOf(bigint), regionOf(bigint).oldStart);
    const { plan, committedVersions } = sign(bigint, { text, region });
    const digest = committedVersions['k7q2']?.digest ?? '';
    expect(digest).not.toBe(bigint.digest);
    expect(plan.message).toContain(`Countersign-Digest: sha256:${digest}`);
  });
});
