import { afterEach, describe, expect, it } from 'vitest';
import type { LedgerChange } from '../../../../src/adapters/store/ledger.ts';
import { checkCommitsAgainstLedger } from '../../../../src/cli/export/check-against-ledger.ts';
import type { VerifiedChange } from '../../../../src/cli/verify/check-commit.ts';
import { ANA, APP, digest, type History, newHistory, trailers } from '../verify/history.ts';

const SLUG = 'countersign';

const CHANGED = digest('edit', 'a.txt', { after: [], before: [], new: ['two\n'], old: ['one\n'] });

const MESSAGE = `Edit\n\n${trailers('k7q2', CHANGED, '1,1 1,1')}`;

let history: History;

afterEach(() => history.remove());

function startHistory(): History {
  history = newHistory();
  history.commit({ files: { 'a.txt': 'one\n' }, message: 'Begin\n', author: ANA, committer: ANA, signed: false });
  return history;
}

/** A ledger with this change in these commits. */
function ledger(...commits: readonly string[]) {
  const row: LedgerChange = {
    ...{ proposalId: 'k7q2', commit_sha: '', parent_sha: null, shown_digest: CHANGED, digest: CHANGED },
    ...{ range: '1,1 1,1', approvers: [{ id: 7, login: 'ana' }], voters: [7], at: 0 },
  };
  return async (commit: string) => (commits.includes(commit) ? [{ ...row, commit_sha: commit }] : []);
}

async function explained(lookup = ledger(), slug: string | null = SLUG): Promise<readonly (readonly unknown[])[]> {
  const rows: VerifiedChange[] = [];
  for await (const row of checkCommitsAgainstLedger(
    { gitDir: history.write(), range: 'main', slug, host: 'github.com' },
    lookup,
  ))
    rows.push(row);
  return rows.map(({ result, problem, note }) => [result, problem, note]);
}

describe('commits held against the ledger', () => {
  it('a commit in the ledger is the App’s own, signed or not, also on a server that signs nothing (V7)', async () => {
    const { commit } = startHistory();
    const made = commit({ files: { 'a.txt': 'two\n' }, message: MESSAGE, signed: false });
    expect(await explained(ledger(made))).toEqual([['ok', null, null]]);
    const worse = commit({ files: { 'a.txt': 'bad\n' }, message: MESSAGE, signed: false });
    expect((await explained(ledger(made, worse))).slice(1)).toContainEqual([
      'mismatch',
      'no change of this commit has this digest',
      null,
    ]);
  });

  it('a forged commit is not explained: a name, an e-mail address and a signature are easy to forge (V7)', async () => {
    const { commit } = startHistory();
    commit({ files: { 'a.txt': 'two\n' }, message: MESSAGE });
    expect(await explained()).toEqual([['mismatch', 'the ledger does not have this change', null]]);
  });

  it.each([
    ['amended', { committer: ANA, signed: false }, 'committed by Ana'],
    ['squashed', { author: ANA }, 'by Ana'],
    ['rebased', { signed: false }, 'not signed, as after a rebase'],
  ])('a commit that was %s is listed as a copy, not as explained (V7)', async (_how, made, note) => {
    const { commit } = startHistory();
    commit({ files: { 'a.txt': 'bad\n' }, message: MESSAGE, ...made });
    expect(await explained()).toEqual([['copied', expect.any(String), note]]);
  });

  it('if the App is named, its commit without a named change is a failure; that of another App is not (V7)', async () => {
    const { commit } = startHistory();
    const other = { ...APP, name: `my-${SLUG}[bot]`, email: `78+my-${SLUG}[bot]@users.noreply.github.com` };
    commit({ files: { 'a.txt': 'theirs\n' }, message: 'By another App\n', author: other });
    expect(await explained()).toEqual([]);
    commit({ files: { 'a.txt': 'ours\n' }, message: 'Without trailers\n' });
    expect(await explained()).toEqual([['mismatch', 'its author is the App, but it has no trailers', null]]);
    expect(await explained(ledger(), null)).toEqual([]);
  });
});
