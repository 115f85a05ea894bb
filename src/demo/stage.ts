import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EnvironmentReading } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import { secretsOf } from '../config/secrets.ts';
import { type RunningServer, startServer } from '../main.ts';
import { environmentFor } from '../simulator/environment.ts';
import { type ScriptedModel, startScriptedModel } from '../simulator/model/scripted-model.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { StartRefused } from '../start-refused.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { openLog } from '../telemetry/log.ts';

/** The simulated GitHub, the App on its embedded database, and a scripted model unless a real one is named. */
export type Stage = {
  readonly github: Simulator;
  /** Null where a real model works. */
  readonly model: ScriptedModel | null;
  /** Seconds go on for GitHub, as they do between two acts of people. */
  readonly pass: (seconds: number) => void;
  /** Resolves once the App has done all it will do by itself. Throws when it does not come to rest. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Things to close, last opened first. */
type Closers = (() => Promise<void>)[];

const MODEL_KEY = 'key-of-the-scripted-model';
const REST_MS = 60_000;
/** A real model may take its time, and may be asked several times before the App rests. */
const REAL_MODEL_REST_MS = 900_000;

/**
 * Starts everything on 127.0.0.1, on an embedded database in memory unless another store is given. Throws `StartRefused`
 * where the named model has no endpoint; nothing stays open then.
 */
export async function openStage(modelName: string | null, store?: Store): Promise<Stage> {
  const closers: Closers = [];
  const close = async (): Promise<void> => {
    for (let next = closers.pop(); next !== undefined; next = closers.pop()) await next();
  };
  try {
    return await start({ modelName, store }, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

type Given = { readonly modelName: string | null; readonly store: Store | undefined };

async function start({ modelName, store }: Given, closers: Closers, close: () => Promise<void>): Promise<Stage> {
  const clock = { ahead: 0 };
  const github = await startSimulator({
    now: () => Date.now() + clock.ahead,
    webhookSecret: 'only the demonstration knows this',
  });
  closers.push(github.close);
  const model = modelName === null ? await startScriptedModel({ apiKey: MODEL_KEY }) : null;
  if (model !== null) closers.push(model.close);
  const server = await serve(readConfig(github, model, modelName), store);
  closers.push(server.stop);
  github.webhookTarget(`${server.url}/api/github/webhooks`);
  return {
    github,
    model,
    pass: (seconds) => {
      clock.ahead += seconds * 1000;
    },
    settle: () => settled(github, server, model === null ? REAL_MODEL_REST_MS : REST_MS),
    close,
  };
}

/** Of the environment only the model's endpoint counts, and only for a real one. */
function readConfig(github: Simulator, model: ScriptedModel | null, modelName: string | null): EnvironmentReading {
  return loadConfig({
    PRIVATE_KEY_PATH: '',
    WEBHOOK_SECRET_OLD: '',
    WEBHOOK_PATH: '',
    ...(modelName === null ? {} : { OPENAI_MODEL: modelName }),
    ...environmentFor(github, model),
    CONFIG_FILE: '',
    PAUSED: '',
    DATABASE_URL: '',
    DATA_DIR: '',
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'json',
  });
}

async function serve(reading: EnvironmentReading, opened: Store | undefined): Promise<RunningServer> {
  if (reading.kind === 'problems') throw new StartRefused(reading.problems.join(' '));
  const { config } = reading;
  const stream = { write: (line: string) => void process.stderr.write(line) };
  // The demo's database goes with the demo.
  const store = opened ?? (await openStore({ databaseUrl: null, dataDir: null }));
  return startServer(config, openLog({ ...config.log, secrets: secretsOf(config), stream }), store);
}

async function settled(github: Simulator, server: RunningServer, limitMs: number): Promise<void> {
  const deadline = Date.now() + limitMs;
  for (let quiet = 0; quiet < 2; ) {
    await github.settled();
    quiet = server.busy() ? 0 : quiet + 1;
    if (Date.now() > deadline) throw new Error(`The App did not come to rest within ${limitMs / 1000} s.`);
    await sleep(2);
  }
}
