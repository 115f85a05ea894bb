import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportBareRepository } from '../../../fakes/github/git/export.ts';
import { openLedger } from '../../../src/adapters/store/open.ts';
import { type Ended, run } from '../../cli/process.ts';
import { eventually, openProcessStage, type ProcessStage } from '../support/process-stage.ts';
import { editRow, ROWS_PATH, rows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

/** The database of a stopped server, and a clone of the branch with its commits. */
const folder = mkdtempSync(join(tmpdir(), 'countersign-exported-'));

const clone = join(folder, 'clone');

const path = process.env['PATH'] ?? '';

let stage: ProcessStage;

let story: Story;

beforeAll(async () => {
  stage = await openProcessStage();
  await stage.start();
  story = await stage.tell({ branch: { [ROWS_PATH]: rows() } });
  const { ana, bot, model, pr } = story;
  model.proposes(editRow(5, 50), editRow(12, 120));
  stage.act(() => ana.person.says('/countersign give the rows other values'));
  await eventually(() => expect(bot.run().body).toContain('| pending |'));
  stage.act(() => ana.person.replies(bot.proposal(1).id, '/approve'));
  await eventually(() => expect(bot.proposal(1).body).toContain('**Completed:** applied'));
  expect((await runExport()).stderr).toContain('in use by another Countersign process');
  await stage.kill('SIGTERM');
  const { refs } = pr.repository();
  exportBareRepository(stage.github.state().store, { refs, defaultBranch: 'topic' }, join(folder, 'bare'));
  git('clone', '--quiet', join(folder, 'bare'), clone);
}, 240_000);

afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
});

function runExport(...args: readonly string[]): Promise<Ended> {
  return exportFrom(stage.dataDir, args);
}

function exportFrom(dataDir: string, args: readonly string[]): Promise<Ended> {
  return run(['export', ...args], { DATA_DIR: dataDir, PATH: path, HOME: folder }, folder).ended;
}

function runCheck(range: string): Promise<Ended> {
  return runExport('--check', '--repo', clone, '--range', range, '--slug', stage.github.app.slug);
}

/** The check on a copy of the database, in which its owner has run this statement without triggers. */
async function checkAfter(statement: string): Promise<Ended> {
  const dataDir = mkdtempSync(join(folder, 'copy-'));
  cpSync(stage.dataDir, dataDir, { recursive: true });
  const { db, close } = await openLedger({ databaseUrl: null, dataDir });
  await sql`set session_replication_role = replica`.execute(db);
  await sql.raw(statement).execute(db);
  await close();
  return exportFrom(dataDir, ['--check', '--repo', clone, '--range', 'origin/topic']);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', [...args], { encoding: 'utf8', stdio: 'pipe', env: { PATH: path, HOME: folder } }).trim();
}

/** Makes a commit on top of the branch with this author name and e-mail address. */
function commit(name: string, email: string, message: string, ...more: readonly string[]): string {
  const as = ['-c', `user.name=${name}`, '-c', `user.email=${email}`];
  git('-C', clone, ...as, 'commit', '--quiet', '--allow-empty', '--message', message, ...more);
  return git('-C', clone, 'rev-parse', 'HEAD');
}

describe('countersign export, once the server is stopped', () => {
  it('writes one line for each proposal, or only those of a named pull request (S90, K20)', async () => {
    const { code, stdout, stderr } = await runExport('--pr', `${story.pr.fullName}#${story.pr.number}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const found = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(found).toMatchObject([
      { state: 'completed', userResponse: 'approve', result: { commit: story.pr.head() } },
      { state: 'proposed', userResponse: null, result: null },
    ]);
    expect((await runExport('--pr', 'nobody/nothing#1')).code).toBe(1);
  });

  it('--check explains the App’s commit, skips people’s commits, and fails for a commit in the App’s name that it did not make (V7, J8)', async () => {
    const made = git('-C', clone, 'rev-parse', 'HEAD');
    const own = await runCheck('HEAD');
    expect(own).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        / the App {2}ok\n\n1 commit of HEAD with trailers: 1 ok\.\nok proves .*\nLedger: 3 rows of 1 /,
      ),
    });
    const trailers = git('-C', clone, 'log', '-1', '--format=%B');
    commit('Ana', 'ana@example.com', 'By hand');
    expect((await runCheck(`${made}..HEAD`)).code).toBe(0);
    commit('Ana', 'ana@example.com', trailers);
    const copy = await runCheck(`${made}..HEAD`);
    expect(copy).toMatchObject({ code: 0, stdout: expect.stringContaining('copied (by Ana)') });
    const bot = `${stage.github.app.slug}[bot]`;
    commit(bot, `1+${bot}@users.noreply.github.com`, 'Not by the App');
    expect(await runCheck(`${made}..HEAD`)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('MISMATCH: its author is the App, but it has no trailers'),
    });
  });

  it('--check lists an amended commit of the App (V7)', async () => {
    git('-C', clone, 'reset', '--quiet', '--hard', 'origin/topic');
    git(
      '-C',
      clone,
      '-c',
      'user.name=Ana',
      '-c',
      'user.email=ana@example.com',
      'commit',
      '--quiet',
      '--amend',
      '--no-edit',
    );
    expect(await runCheck('HEAD')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('copied (committed by Ana)'),
    });
  });

  it('--check prints a hash of the ledger, and the same one again for the same time (X14)', async () => {
    const lastLine = /Ledger: 3 rows of 1 pull request, none changed or removed up to (\S+), (sha256:[0-9a-f]{64})\n$/;
    const [, time = '', hash = ''] = lastLine.exec((await runCheck('origin/topic')).stdout) ?? [];
    const args = ['--check', '--repo', clone, '--range', 'origin/topic'];
    expect(await runExport(...args, '--until', time)).toMatchObject({ code: 0, stdout: expect.stringContaining(hash) });
  });

  it.each([
    ['an approval credited to another person', `update votes set login = 'eve', person_id = 66`, '(votes) was changed'],
    ['a decision that was removed', 'delete from votes', '(votes) was removed'],
    [
      'a decision that was removed with its entry in the chain',
      'delete from ledger_chain',
      'all of its 3 rows were removed',
    ],
  ])('--check fails for %s (X14)', async (_what, statement, words) => {
    const { code, stdout } = await checkAfter(statement);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^LEDGER MISMATCH: \d+\/\d+\/\d+: /m);
    expect(stdout).toContain(words);
    expect(stdout).not.toContain('none changed or removed');
  });
});
