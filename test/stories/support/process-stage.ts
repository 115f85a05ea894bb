import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, vi } from 'vitest';
import { createAppEnvironment } from '../../../fakes/github/fake-github.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { type Ended, type Running, run } from '../../cli/process.ts';
import { openScenery } from './scenery.ts';
import type { Stage } from './stage.ts';
import { tellStory } from './story.ts';

/** A stage with the App as a separate process, whose data directory survives it. */
export type ProcessStage = Pick<Stage, 'github' | 'model' | 'pass' | 'tell' | 'close'> & {
  /** Starts the process, and resolves once it accepts deliveries. */
  readonly start: () => Promise<void>;
  /** Sends the signal; resolves once the process has ended. */
  readonly kill: (signal: 'SIGKILL' | 'SIGTERM') => Promise<Ended>;
  /** The running process; throws if there is none. */
  readonly process: () => Running;
  readonly dataDir: string;
  /** Performs a person's action, and advances GitHub's clock before and after it. */
  readonly act: (action: () => unknown) => void;
};

/** Polls until the assertion holds. */
export function eventually(assertion: () => void): Promise<void> {
  return vi.waitFor(assertion, { timeout: 60_000, interval: 20 });
}

/** `environment` adds to that of the App. */
export async function openProcessStage(environment: Readonly<Record<string, string>> = {}): Promise<ProcessStage> {
  let ahead = 0;
  const scenery = await openScenery(() => Date.now() + ahead);
  const { github, model } = scenery;
  const folder = await mkdtemp(join(tmpdir(), 'countersign-process-'));
  const dataDir = join(folder, 'data');
  const settings = join(folder, 'countersign-operator.yml');
  // A run would end a minute later than its commit.
  await writeFile(settings, 'wait_for_checks: off\n');
  await cp(inject('templateDatabase'), dataDir, { recursive: true });
  let running: Running | null = null;
  const current = (): Running => {
    if (running === null) throw new Error('No process runs.');
    return running;
  };
  const kill = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<Ended> => {
    const { child, ended } = current();
    running = null;
    child.kill(signal);
    return ended;
  };
  const start = async (): Promise<void> => {
    const app = createAppEnvironment(scenery.github, scenery.model);
    running = run(['start'], { ...app, DATA_DIR: dataDir, CONFIG_FILE: settings, ...environment }, folder);
    const line = parseJson(await running.line('"listening"'));
    github.setWebhookTarget(`${isRecord(line) ? String(line['url']) : ''}/api/github/webhooks`);
  };
  const nowhere = (): never => {
    throw new Error('The App is another process.');
  };
  const stage: Stage = {
    github,
    model,
    logged: [],
    server: nowhere,
    store: nowhere,
    db: nowhere,
    database: nowhere,
    now: () => Date.now(),
    pass: (seconds) => {
      ahead += seconds * 1000;
    },
    later: nowhere,
    surely: nowhere,
    inOneSecond: nowhere,
    settle: () => github.whenIdle(),
    tell: (story = {}) => tellStory(stage, story),
    restart: nowhere,
    close: async () => {
      if (running !== null) await kill('SIGKILL');
      await Promise.all([github.close(), model.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
  const act = (action: () => unknown): void => {
    stage.pass(2);
    action();
    stage.pass(2);
  };
  const { pass, tell, close } = stage;
  return { github, model, pass, tell, close, start, kill, process: current, dataDir, act };
}
