import { dispatch } from './app.ts';
import type { Config } from './config/config.ts';
import { openServer } from './intake/server.ts';
import { statusRoutes } from './intake/status-routes.ts';
import { openTake, type Take } from './intake/take-delivery.ts';
import { webhookHandle } from './intake/webhook.ts';
import { askIdentity, awaitIdentity, type Identity } from './introduce.ts';
import { type Logger, openParts, openProbot, openRetention, openSweeper, openWorker, type Parts } from './parts.ts';
import { checkReady } from './ready.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import type { Sweeper } from './sweep/sweeper.ts';
import { FAMILIES } from './telemetry/families.ts';
import type { Worker } from './worker/worker.ts';

/** A server that takes deliveries. `stop` lets what is under way end or parks it; a second call waits for the first. */
export type RunningServer = {
  readonly url: string;
  /** True while something is worked on or due; once it is false nothing more happens by itself. */
  busy(): boolean;
  stop(): Promise<void>;
};

/** What comes to be only after GitHub told who we are. */
type Life = {
  identity: Identity | null;
  worker: Worker | null;
  sweeper: Sweeper | null;
  readonly stopping: AbortController;
};

const HTTP_GRACE_MS = 3_000;
const WORKER_GRACE_MS = 17_000;

function begin(parts: Parts, life: Life, take: Take, identity: Identity | null): void {
  if (identity === null || life.stopping.signal.aborted) return;
  life.identity = identity;
  if (!parts.config.paused) {
    life.worker = openWorker(parts, identity);
    life.sweeper = openSweeper(parts, take, identity);
  }
  parts.log.info({ app: identity.slug, paused: parts.config.paused }, 'ready');
}

function openTakeOf({ store, log, metrics, now }: Parts, life: Life): Take {
  return openTake({
    store,
    self: () => life.identity,
    now,
    log,
    deliveries: metrics.counter(FAMILIES.deliveries),
  });
}

async function openEntry(parts: Parts, life: Life, take: Take) {
  const { config, log, metrics } = parts;
  const probot = await openProbot(parts, take);
  const handle = webhookHandle({
    secrets: config.app.webhookSecrets,
    deliver: (event) => dispatch(probot, take, event),
    log,
  });
  return openServer({
    ...config.http,
    log,
    answers: metrics.counter(FAMILIES.answers),
    routes: [
      { method: 'POST', path: config.http.webhookPath, handle },
      ...statusRoutes(() => checkReady({ ...parts, ...life }), metrics, log),
    ],
  });
}

/** Learns who we are now, or goes on asking behind the running server. */
async function introduce(parts: Parts, life: Life, take: Take): Promise<void> {
  const { githubs, log } = parts;
  const identity = await askIdentity(githubs, log);
  begin(parts, life, take, identity);
  if (identity !== null) return;
  awaitIdentity(githubs, log, life.stopping.signal).then(
    (found) => begin(parts, life, take, found),
    (error: unknown) => log.error({ err: error }, 'GitHub refuses this App; nothing is taken until a restart'),
  );
}

/**
 * Opens the store, listens, learns from GitHub who we are and starts the worker, in this order; deliveries that come
 * before GitHub told are answered 503. Throws `StartRefused`, `StoreUnusable` or the socket's error, with everything
 * closed again. A store that is open already is used instead of the configured one, and closed in the end; `now` is the
 * clock (ms since the epoch).
 */
export async function startServer(
  config: Config,
  log: Logger,
  opened?: Store,
  now: () => number = Date.now,
): Promise<RunningServer> {
  const { url: databaseUrl, dataDir } = config.database;
  const store = opened ?? (await openStore({ databaseUrl, dataDir }));
  const parts = openParts(config, log, store, now);
  const life: Life = { identity: null, worker: null, sweeper: null, stopping: new AbortController() };
  const take = openTakeOf(parts, life);
  const closers: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    life.stopping.abort();
    const { worker, sweeper } = life;
    await Promise.all([
      ...closers.map((close) => close()),
      ...[worker, sweeper].map((loop) => loop?.stop(WORKER_GRACE_MS)),
    ]);
    await parts.thread.stop();
    await store.close();
  };
  try {
    const entry = await openEntry(parts, life, take);
    closers.push(() => entry.stop(HTTP_GRACE_MS), openRetention(parts).stop);
    await introduce(parts, life, take);
    let stopped: Promise<void> | null = null;
    const url = `http://${config.http.host}:${entry.port}`;
    const busy = () => [life.worker, life.sweeper].some((loop) => loop?.busy() === true);
    return { url, busy, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await stop();
    throw error;
  }
}
