import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exportBareRepository } from '../../../fakes/github/git/export.ts';
import { type Ended, run } from '../../cli/process.ts';
import { openProcessStage, type ProcessStage } from '../support/process-stage.ts';
import { editRow, ROWS_PATH, rows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

/** A server wrote this database, and is stopped; beside it lies a clone of the branch on which it committed. */
const folder = mkdtempSync(join(tmpdir(), 'countersign-exported-'));

const clone = join(folder, 'clone');

const path = process.env['PATH'] ?? '';

let stage: ProcessStage;

let story: Story;

function shortly(assertion: () => void): Promise<void> {
  return vi.waitFor(assertion, { timeout: 60_000, interval: 20 });
}

function say(deed: () => unknown): void {
  stage.pass(2);
  deed();
  stage.pass(2);
}

beforeAll(async () => {
  stage = await openProcessStage();
  await stage.start();
  story = await stage.tell({ branch: { [ROWS_PATH]: rows() } });
  const { ana, bot, model, pr } = story;
  model.proposes(editRow(5, 50), editRow(12, 120));
  say(() => ana.person.says('/countersign give the rows other values'));
  await shortly(() => expect(bot.run().body).toContain('| pending |'));
  say(() => ana.person.replies(bot.proposal(1).id, '/approve'));
  await shortly(() => expect(bot.proposal(1).body).toContain('**Applied**'));
  expect((await exporting()).stderr).toContain('in use by another Countersign process');
  await stage.kill('SIGTERM');
  const { refs } = pr.repository();
  exportBareRepository(stage.github.state().store, { refs, defaultBranch: 'topic' }, join(folder, 'bare'));
  git('clone', '--quiet', join(folder, 'bare'), clone);
}, 240_000);

afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
});

function exporting(...args: readonly string[]): Promise<Ended> {
  return run(['export', ...args], { DATA_DIR: stage.dataDir, PATH: path, HOME: folder }, folder).ended;
}

function checking(range: string): Promise<Ended> {
  return exporting('--check', '--repo', clone, '--range', range, '--slug', stage.github.app.slug);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', [...args], { encoding: 'utf8', stdio: 'pipe', env: { PATH: path, HOME: folder } }).trim();
}

/** A commit on top of the branch, as whoever has this name and address writes it. */
function commit(name: string, email: string, message: string, ...more: readonly string[]): string {
  const as = ['-c', `user.name=${name}`, '-c', `user.email=${email}`];
  git('-C', clone, ...as, 'commit', '--quiet', '--allow-empty', '--message', message, ...more);
  return git('-C', clone, 'rev-parse', 'HEAD');
}

describe('countersign export, once the server is stopped', () => {
  it('writes one line for each proposal, all of a pull request alone where it is named (S90, K20)', async () => {
    const { code, stdout, stderr } = await exporting('--pr', `${story.pr.fullName}#${story.pr.number}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const found = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(found).toMatchObject([
      { state: 'completed', userResponse: 'approve', result: { commit: story.pr.head() } },
      { state: 'proposed', userResponse: null, result: null },
    ]);
    expect((await exporting('--pr', 'nobody/nothing#1')).code).toBe(1);
  });

  it('--check explains the App’s commit, passes over what people made, and fails for what it did not make (V7, J8)', async () => {
    const made = git('-C', clone, 'rev-parse', 'HEAD');
    const own = await checking('HEAD');
    expect(own).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ ok\n\n1 commit of HEAD with trailers: 1 ok\.\n$/),
    });
    const trailers = git('-C', clone, 'log', '-1', '--format=%B');
    commit('Ana', 'ana@example.com', 'By hand');
    expect((await checking(`${made}..HEAD`)).code).toBe(0);
    commit('Ana', 'ana@example.com', trailers);
    const copy = await checking(`${made}..HEAD`);
    expect(copy).toMatchObject({ code: 0, stdout: expect.stringContaining('copied (by Ana)') });
    const bot = `${stage.github.app.slug}[bot]`;
    commit(bot, `1+${bot}@users.noreply.github.com`, 'Not by the App');
    expect(await checking(`${made}..HEAD`)).toMatchObject({
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
    expect(await checking('HEAD')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('copied (committed by Ana)'),
    });
  });
});
