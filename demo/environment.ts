import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeGitHub, startFakeGitHub } from '../fakes/github/fake-github.ts';
import { type ScriptedModel, startScriptedModel } from '../fakes/model/scripted-model.ts';
import { openStore } from '../src/adapters/store/open.ts';
import type { Store } from '../src/adapters/store/store.ts';
import { createLogger } from '../src/adapters/telemetry/log.ts';
import { StartupError } from '../src/app/app-identity.ts';
import { type ConfigResult, listSecrets, loadConfig } from '../src/app/config/env.ts';
import { type RunningServer, startServer } from '../src/app/server.ts';
import { createDemoSettings, MODEL_KEY } from './settings.ts';

/** The services of the demo: a fake GitHub, the App with its database, and a scripted model. */
export type DemoEnvironment = {
  readonly github: FakeGitHub;
  /** Null when a real model is used. */
  readonly model: ScriptedModel | null;
  /** Moves the clock of the fake GitHub forward, to simulate the time between two actions of people. */
  readonly advanceClock: (seconds: number) => void;
  /** Moves the App's clock forward, too. */
  readonly advanceAppClock: (seconds: number) => void;
  /** Resolves when the App has no work left. Throws after a timeout. */
  readonly waitUntilIdle: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Called in reverse order. */
type CloseFunctions = (() => Promise<void>)[];

const IDLE_TIMEOUT_MS = 60_000;

/** A real model can be slow, and the App can call it several times before it is idle. */
const REAL_MODEL_IDLE_TIMEOUT_MS = 900_000;

/**
 * Starts all services on 127.0.0.1. The default store is an embedded database in memory. Throws `StartupError` for an
 * invalid configuration, after closing the services that it started.
 */
export async function startDemoEnvironment(
  modelName: string | null,
  store?: Store,
  waitsForChecks = false,
): Promise<DemoEnvironment> {
  const closers: CloseFunctions = [];
  const close = async (): Promise<void> => {
    for (let next = closers.pop(); next !== undefined; next = closers.pop()) await next();
  };
  try {
    return await startServices({ modelName, store, waitsForChecks }, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

type EnvironmentOptions = {
  readonly modelName: string | null;
  readonly store: Store | undefined;
  /** The repository has checks, for which runs wait. */
  readonly waitsForChecks: boolean;
};

async function startServices(
  { modelName, store, waitsForChecks }: EnvironmentOptions,
  closers: CloseFunctions,
  close: () => Promise<void>,
): Promise<DemoEnvironment> {
  const clock = { ahead: 0, appAhead: 0 };
  const github = await startFakeGitHub({
    now: () => Date.now() + clock.ahead,
    webhookSecret: 'webhook-secret-of-the-demo',
  });
  closers.push(github.close);
  const model = modelName === null ? await startScriptedModel({ apiKey: MODEL_KEY }) : null;
  if (model !== null) closers.push(model.close);
  const now = (): number => Date.now() + clock.appAhead;
  const config = loadConfig(createDemoSettings(github, model, modelName));
  const server = await startApp(config, { store, now, waitsForChecks });
  closers.push(server.stop);
  github.setWebhookTarget(`${server.url}/api/github/webhooks`);
  return {
    github,
    model,
    advanceClock: (seconds) => {
      clock.ahead += seconds * 1000;
    },
    advanceAppClock: (seconds) => {
      clock.ahead += seconds * 1000;
      clock.appAhead += seconds * 1000;
    },
    waitUntilIdle: () => waitUntilIdle(github, server, model === null ? REAL_MODEL_IDLE_TIMEOUT_MS : IDLE_TIMEOUT_MS),
    close,
  };
}

type AppOptions = Pick<EnvironmentOptions, 'store' | 'waitsForChecks'> & { readonly now: () => number };

async function startApp(
  configResult: ConfigResult,
  { store: givenStore, now, waitsForChecks }: AppOptions,
): Promise<RunningServer> {
  if (configResult.kind === 'problems') throw new StartupError(configResult.problems.join(' '));
  const { operator, ...rest } = configResult.config;
  const defaults = waitsForChecks ? {} : { wait_for_checks: 'off' };
  const config = { ...rest, operator: { ...operator, settings: { ...operator.settings, defaults } } };
  const stream = { write: (line: string) => void process.stderr.write(line) };
  const store = givenStore ?? (await openStore({ databaseUrl: null, dataDir: null }));
  return startServer(config, createLogger({ ...config.log, secrets: listSecrets(config), stream }), { store, now });
}

async function waitUntilIdle(github: FakeGitHub, server: RunningServer, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let idleRounds = 0; idleRounds < 2; ) {
    await github.whenIdle();
    idleRounds = server.isBusy() ? 0 : idleRounds + 1;
    if (Date.now() > deadline) throw new Error(`The App was still busy after ${timeoutMs / 1000} s.`);
    await sleep(2);
  }
}
