import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runExport } from '../../../src/cli/export/export.ts';
import { runInspect } from '../../../src/cli/operate/inspect.ts';
import { runMigrate } from '../../../src/cli/operate/migrate.ts';
import { runPending } from '../../../src/cli/operate/pending.ts';
import { runReport } from '../../../src/cli/operate/report.ts';
import { type Ended, run } from '../../cli/process.ts';
import { runHere } from '../../support/run-here.ts';
import { eventually, openProcessStage, type ProcessStage } from '../support/process-stage.ts';
import { editRow, ROWS_PATH, rows } from '../support/rows.ts';
import type { Story } from '../support/story.ts';

let stage: ProcessStage;

let story: Story;

/** What the commands said while the server ran. */
let whileRunning: {
  readonly pending: Ended;
  readonly inspected: Ended;
  readonly exported: Ended;
  readonly migrate: Ended;
};

beforeAll(async () => {
  stage = await openProcessStage();
  await stage.start();
  story = await stage.tell({ branch: { [ROWS_PATH]: rows() } });
  const { ana, bot, model } = story;
  model.proposes(editRow(5, 50), editRow(12, 120));
  stage.act(() => ana.person.says('/countersign give the rows other values'));
  await eventually(() => expect(bot.run().body).toContain('| pending |'));
  stage.act(() => ana.person.replies(bot.proposal(1).id, '/approve'));
  await eventually(() => expect(bot.proposal(1).body).toContain('**Completed:** applied'));
  const name = `${story.pr.fullName}#${story.pr.number}`;
  whileRunning = {
    pending: await run(['pending', '--json'], { DATA_DIR: stage.dataDir, PATH: process.env['PATH'] ?? '' }).ended,
    inspected: await ask('inspect', name),
    exported: await ask('export', '--pr', name),
    migrate: await ask('migrate', '--check'),
  };
  await stage.kill('SIGTERM');
}, 240_000);

afterAll(() => stage.close());

const COMMANDS = {
  export: runExport,
  inspect: runInspect,
  migrate: runMigrate,
  pending: runPending,
  report: runReport,
};

function ask(name: keyof typeof COMMANDS, ...args: readonly string[]): Promise<Ended> {
  return runHere(() => COMMANDS[name](args), { DATA_DIR: stage.dataDir });
}

describe('countersign pending', () => {
  it('O19: lists what waits, from the running server and from the database of a stopped one', async () => {
    const { code, stdout, stderr } = whileRunning.pending;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [waiting] = JSON.parse(stdout);
    expect(waiting).toMatchObject({
      pullRequest: `${story.pr.fullName}#${story.pr.number}`,
      askedBy: story.ana.login,
      approvals: { required: 1, by: [], from: 'write' },
    });
    expect(waiting.url).toContain(`/pull/${story.pr.number}#`);
    expect((await ask('pending', '--json')).stdout).toBe(stdout);
    expect((await ask('pending', '--repo', 'nobody/nothing')).stdout).toBe('Nothing waits for people.\n');
  });
});

describe('countersign report', () => {
  it('O20: counts tasks and accepted changes by repository, in four forms', async () => {
    const [row] = JSON.parse((await ask('report', '--format', 'json')).stdout);
    expect(row).toMatchObject({ name: story.pr.fullName, tasks: 1, accepted: 1, changed: 0, denied: 0, costUsd: null });
    expect((await ask('report', '--by', 'person', '--format', 'md')).stdout).toContain(
      `| ${story.ana.login} | 1 | 1 |`,
    );
    expect((await ask('report', '--until', '2020-01-01', '--format', 'csv')).stdout.split('\r\n')).toHaveLength(2);
  });
});

describe('countersign inspect', () => {
  it('O19: shows the run, its changes, and the reason of each event, while the server runs', async () => {
    const { code, stdout } = whileRunning.inspected;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\S+#\d+: run \S+ of ana\S* "give the row/);
    expect(stdout).toMatch(/\/approve +ana\S* +approved/);
    expect(stdout).toMatch(/commit +done /);
    expect((await ask('inspect', 'nobody/nothing#1')).code).toBe(1);
  });
});

describe('countersign migrate', () => {
  it('O11: says whether the next start would migrate, from the running server and from the database of a stopped one', async () => {
    const nothing = { code: 0, stdout: expect.stringMatching(/schema version \d+: nothing is to migrate\.\n$/) };
    expect(whileRunning.migrate).toMatchObject(nothing);
    expect(await ask('migrate', '--check')).toMatchObject(nothing);
    expect(await ask('migrate')).toMatchObject({ code: 2, stderr: expect.stringContaining('--check') });
  });
});

describe('countersign export', () => {
  it('writes one line for each proposal, or only those of a named pull request, also while the server runs (S90, K20)', async () => {
    const { code, stdout, stderr } = await ask('export', '--pr', `${story.pr.fullName}#${story.pr.number}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(whileRunning.exported).toEqual({ code, stdout, stderr });
    const found = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(found).toMatchObject([
      { state: 'completed', userResponse: 'approve', result: { commit: story.pr.head() } },
      { state: 'proposed', userResponse: null, result: null },
    ]);
    expect((await ask('export', '--pr', 'nobody/nothing#1')).code).toBe(1);
  });

  it('writes the same as a table (S90)', async () => {
    const { stdout } = await ask('export', '--csv');
    const [header = '', ...lines] = stdout.trimEnd().split('\r\n');
    expect(header).toMatch(/^proposalId,conversationId,.*,state,.*,votes,writes$/);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain(`,completed,`);
    expect(lines[0]).toContain(`""commit"":""${story.pr.head()}""`);
  });
});
