import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBranch } from '../../src/demo/check-branch.ts';
import { diffLines } from '../../src/demo/diff-lines.ts';
import { type LoadedPull, loadPull } from '../../src/demo/load-pull.ts';
import { type PullSource, readLocal } from '../../src/demo/local-repository.ts';
import { openNarrator } from '../../src/demo/narrate.ts';
import { pullOf } from '../../src/demo/page.ts';
import { type Decision, playAll } from '../../src/demo/play.ts';
import { scriptedAuthor } from '../../src/demo/scripted-author.ts';
import { openStage, type Stage } from '../../src/demo/stage.ts';
import { openTerminal } from '../../src/demo/terminal.ts';
import type { Check } from '../../src/demo/verify.ts';
import { putBlob, readBlob } from '../../src/simulator/git/blob.ts';
import { putCommit, readCommit } from '../../src/simulator/git/commit-object.ts';
import { entryAt, updateTree } from '../../src/simulator/git/trees.ts';
import { OPERATIONS } from '../../src/simulator/world/operations.ts';
import { type StoryDatabase, storyDatabase } from '../story/story-database.ts';
import { awkwardRepository } from './local-pull.ts';

const local = awkwardRepository();
let stage: Stage;
let database: StoryDatabase;
let source: PullSource;
let loaded: LoadedPull;
let decisions: readonly Decision[];
let told = '';

beforeAll(async () => {
  const read = await readLocal(local.path, null);
  if (read.kind !== 'source') throw new Error(read.why);
  source = read.source;
  database = await storyDatabase();
  stage = await openStage(null, await database.open());
  loaded = loadPull(stage.github, source);
  await stage.settle();
  const author = scriptedAuthor(diffLines(stage.github, loaded));
  stage.model?.otherwise(author.answer);
  const terminal = openTerminal((text) => {
    told += text;
  }, false);
  const narrator = openNarrator(terminal);
  decisions = await playAll({ stage, loaded, narrator, task: 'tidy up', plan: author.plan });
}, 60_000);
afterAll(async () => {
  local.remove();
  await stage.close();
  await database.drop();
});

function head(): string {
  return pullOf(stage.github, loaded).head.sha;
}

function bytesAt(path: string): string | null {
  const { store } = stage.github.world();
  const entry = entryAt(store, readCommit(store, head())?.tree ?? '', path);
  const bytes = entry === undefined ? undefined : readBlob(store, entry.sha);
  return bytes === undefined ? null : Buffer.from(bytes).toString('latin1');
}

function problems(checks: readonly Check[]): readonly string[] {
  return checks.flatMap(({ problem }) => problem ?? []);
}

/** The branch with its tip made anew: one file different, everything else as it was. */
function forge(path: string, change: (text: string) => string, message?: string): void {
  const { github } = stage;
  const { store } = github.world();
  const tip = readCommit(store, head());
  if (tip === undefined) throw new Error('The branch has no tip.');
  const entry = entryAt(store, tip.tree, path);
  const blob = putBlob(store, Buffer.from(change(bytesAt(path) ?? ''), 'latin1'));
  const tree = updateTree(store, tip.tree, new Map([[path, { mode: entry?.mode ?? '100644', sha: blob }]]));
  const sha = putCommit(store, { ...tip, tree, message: message ?? tip.message });
  const actor = { accountId: loaded.ana.id, viaAppId: null };
  const ref = `refs/heads/${loaded.branch}`;
  github.apply(OPERATIONS.updateRef, { actor, repositoryId: loaded.repositoryId, ref, sha, force: true });
}

async function verdictAfter(forgery: () => void): Promise<readonly string[]> {
  const before = head();
  forgery();
  const found = problems(await checkBranch(stage.github, loaded, source, decisions));
  const actor = { accountId: loaded.ana.id, viaAppId: null };
  const ref = `refs/heads/${loaded.branch}`;
  const back = { actor, repositoryId: loaded.repositoryId, ref, sha: before, force: true };
  stage.github.apply(OPERATIONS.updateRef, back);
  return found;
}

describe('the demo on an awkward repository', () => {
  it('loads it byte for byte: its head is git’s own tree', () => {
    expect(loaded.openedTree).toBe(local.git('rev-parse', 'HEAD^{tree}'));
    expect(source.head.get('link.py')).toMatchObject({ mode: '120000' });
    expect(source.head.get('run.sh')).toMatchObject({ mode: '100755' });
    expect(source.head.get('dependency')).toMatchObject({ mode: '160000' });
  });

  it('S39, S101: everybody plays a part, and the branch holds exactly what was approved', async () => {
    const verdicts = new Set(decisions.map(({ verdict }) => verdict));
    expect([...verdicts].sort()).toEqual(['approved', 'denied', 'instructed', 'pressed']);
    const checks = await checkBranch(stage.github, loaded, source, decisions);
    expect(problems(checks)).toEqual([]);
    expect(checks.length).toBeGreaterThanOrEqual(decisions.length);
    expect(stage.model?.violations).toEqual([]);
  });

  it('S10: CRLF stays CRLF, and bytes that nobody approved stay what they were', () => {
    expect(bytesAt('windows.py')).toBe('# Loads what they receive.\r\ndef load_file():  \r\n    pass\r\n');
    expect(bytesAt('picture.bin')).toBe(Buffer.from([0, 255, 13, 10, 0, 1, 7]).toString('latin1'));
  });

  it('writes nothing to the terminal that it would obey', () => {
    expect(told).not.toContain('\u{1b}');
    expect(told).not.toContain('<!-- countersign');
  });
});

describe('the verification', () => {
  it('finds a byte that nobody approved, in an approved file', async () => {
    const path = decisions.findLast(({ verdict }) => verdict === 'approved')?.proposal.path ?? '';
    expect(await verdictAfter(() => forge(path, (text) => `${text} `))).not.toEqual([]);
    expect(await verdictAfter(() => forge(path, (text) => text.replace('e', 'E')))).not.toEqual([]);
  });

  it('finds a file that nobody approved', async () => {
    const found = await verdictAfter(() => forge('run.sh', (text) => `${text}rm -rf /\n`));
    expect(found).toContain('it changes run.sh, which nobody approved');
  });

  it('finds a commit that names what nobody approved, or nothing', async () => {
    const message = `Tidy\n\nCountersign-Proposal: zz99\nCountersign-Digest: sha256:${'0'.repeat(64)}\n`;
    expect(await verdictAfter(() => forge('run.sh', (text) => text, message))).not.toEqual([]);
    expect(await verdictAfter(() => forge('run.sh', (text) => text, 'Tidy\n'))).toContain('it names no proposal');
  });

  it('finds what was turned down, and what is missing', async () => {
    const denied = decisions.map(
      (one) => ({ ...one, verdict: one.verdict === 'approved' ? 'denied' : one.verdict }) as const,
    );
    const none = problems(await checkBranch(stage.github, loaded, source, denied));
    expect(none).toContain('what was turned down is on the branch');
    const twice = decisions.map(
      (one) => ({ ...one, verdict: one.verdict === 'denied' ? 'approved' : one.verdict }) as const,
    );
    const missing = problems(await checkBranch(stage.github, loaded, source, twice));
    expect(missing).toContain('it stands in 0 commits of the branch');
  });

  it('finds a button that was not pressed for these bytes', async () => {
    const others = decisions.map((one) => {
      const proposal = { ...one.proposal, digest: '0'.repeat(12) };
      return one.verdict === 'pressed' ? { ...one, proposal } : one;
    });
    const found = problems(await checkBranch(stage.github, loaded, source, others));
    expect(found).toContain('nobody pressed a button for exactly these bytes');
  });
});
