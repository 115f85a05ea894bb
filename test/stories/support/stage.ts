import { setTimeout as sleep } from 'node:timers/promises';
import { answerDirectly } from '../../../fakes/github/direct-fetch.ts';
import { createAppEnvironment, type FakeGitHub } from '../../../fakes/github/fake-github.ts';
import type { EnterpriseServer } from '../../../fakes/github/state/github-state.ts';
import type { ScriptedModel } from '../../../fakes/model/scripted-model.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import { createLogger } from '../../../src/adapters/telemetry/log.ts';
import { parseEnvironment } from '../../../src/app/config/env.ts';
import { readKeyFile } from '../../../src/app/config/keys.ts';
import { type RunningServer, startServer } from '../../../src/app/server.ts';
import type { ModelPrice } from '../../../src/core/state/spending.ts';
import { openScenery, type Scenery } from './scenery.ts';
import { type Story, type StoryOptions, tellStory } from './story.ts';
import { type StoryDatabase, storyDatabase } from './story-database.ts';

export type StageOptions = {
  readonly environment?: Readonly<Record<string, string>>;
  /** GitHub is an Enterprise Server. */
  readonly server?: EnterpriseServer;
  /** The database to use instead of a new one. */
  readonly database?: StoryDatabase;
  /** The story looks into the database itself. */
  readonly needsSql?: boolean;
  /** The price of the model. */
  readonly price?: ModelPrice;
  /** Runs wait for the checks of their commits, as they do by default; other stories end without them. */
  readonly waitsForChecks?: boolean;
  /** The label and the check run tell of pending changes, as by default; other stories go without them. */
  readonly showsWaiting?: boolean;
};

/** A fake GitHub, a fake model and the real App, started once per test file; each story gets its own repository. */
export type Stage = {
  readonly github: FakeGitHub;
  readonly model: ScriptedModel;
  /** The lines that the App logged. */
  readonly logged: readonly string[];
  readonly server: () => RunningServer;
  /** The App's store, to inspect its data. */
  readonly store: () => Store;
  /** The database of the store. */
  readonly db: () => ReturnType<StoryDatabase['db']>;
  /** All stored data as text. */
  readonly database: () => Promise<string>;
  /** The time on the clock of GitHub and the App (ms). */
  readonly now: () => number;
  /** Advances GitHub's and the App's clock. */
  readonly pass: (seconds: number) => void;
  /** Advances GitHub's and the App's clock, and waits until due work is done. */
  readonly later: (seconds: number) => Promise<void>;
  /** Advances the clock until the App believes that what GitHub does not find is gone: it asks several times. */
  readonly surely: () => Promise<void>;
  /** Stops GitHub's clock during the action, so that all its events happen in the same second. */
  readonly inOneSecond: <Value>(action: () => Promise<Value>) => Promise<Value>;
  /** Resolves once every webhook is answered and the App is idle. */
  readonly settle: () => Promise<void>;
  readonly tell: (options?: StoryOptions) => Promise<Story>;
  /** Restarts the App on the same database. */
  readonly restart: (environment?: Readonly<Record<string, string>>) => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const clock: { passed: number; standing: number | null } = { passed: 0, standing: null };
  const now = () => clock.standing ?? Date.now() + clock.passed;
  const { github, model } = await openScenery(now, options.server);
  const endDirectAnswers = answerDirectly(github);
  const database = options.database ?? (await storyDatabase(options.needsSql));
  const logged: string[] = [];
  let store = await database.open();
  const start = async (environment: Readonly<Record<string, string>> = {}): Promise<RunningServer> => {
    const merged = { ...options.environment, ...environment };
    const server = await serve({ ...options, github, model }, store, merged, logged, () => Date.now() + clock.passed);
    github.setWebhookTarget(`${server.url}/api/github/webhooks`);
    return server;
  };
  let server = await start();
  /** The App waits for work that is due in a moment: the clock jumps there instead, if nothing else happens. */
  const skipWait = async (): Promise<void> => {
    const due = await database.restsUntil?.(Date.now() + clock.passed);
    const waitMs = (due ?? 0) - Date.now() - clock.passed;
    if (waitMs <= 0 || waitMs > MAX_SKIPPED_MS || clock.standing !== null) return;
    clock.passed += waitMs;
    database.wake?.();
  };
  const settle = () => settled(github, () => server, skipWait);
  const stage: Stage = {
    github,
    model,
    logged,
    server: () => server,
    store: () => store,
    db: () => database.db(),
    database: () => database.text(),
    now: () => Date.now() + clock.passed,
    pass: (seconds) => {
      clock.passed += seconds * 1000;
    },
    later: async (seconds) => {
      clock.passed += seconds * 1000;
      database.wake?.();
      await settle();
    },
    surely: async () => {
      for (let answer = 1; answer <= 5; answer += 1) await stage.later(31);
    },
    inOneSecond: async (action) => {
      clock.standing = now();
      try {
        return await action();
      } finally {
        clock.standing = null;
      }
    },
    settle,
    tell: (story = {}) => tellStory(stage, story),
    restart: async (environment) => {
      await server.stop();
      store = await database.open();
      server = await start(environment);
    },
    close: async () => {
      await server.stop();
      endDirectAnswers();
      await Promise.all([github.close(), model.close()]);
      await database.drop();
    },
  };
  return stage;
}

type Served = Pick<Scenery, 'github' | 'model'> & Pick<StageOptions, 'price' | 'waitsForChecks' | 'showsWaiting'>;

async function serve(
  { price, waitsForChecks, showsWaiting, ...scenery }: Served,
  store: Store,
  environment: Readonly<Record<string, string>>,
  logged: string[],
  now: () => number,
): Promise<RunningServer> {
  const reading = parseEnvironment(
    { ...createAppEnvironment(scenery.github, scenery.model), ...environment },
    readKeyFile,
  );
  if (reading.kind === 'problems') throw new Error(reading.problems.join('\n'));
  const stream = { write: (line: string) => void logged.push(line) };
  const log = createLogger({ level: reading.config.log.level, format: 'json', secrets: ['model-key'], stream });
  const { config } = reading;
  const prices = price === undefined ? config.operator.settings.prices : new Map([[config.model.name, price]]);
  const defaults = {
    ...(waitsForChecks ? {} : { wait_for_checks: 'off' }),
    ...(showsWaiting ? {} : { check_run: 'off', label: false }),
    ...config.operator.settings.defaults,
  };
  const settings = { ...config.operator.settings, prices, defaults };
  return startServer({ ...config, operator: { ...config.operator, settings } }, log, { store, now });
}

/** The App counts work as due in a moment for this time. */
const MAX_SKIPPED_MS = 1_500;

async function settled(github: FakeGitHub, server: () => RunningServer, skipWait: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 25_000;
  for (let quiet = 0; quiet < 2; ) {
    await github.whenIdle();
    quiet = server().isBusy() ? 0 : quiet + 1;
    if (quiet === 0) await skipWait();
    if (Date.now() > deadline) throw new Error('The App did not come to rest.');
    await sleep(2);
  }
}
