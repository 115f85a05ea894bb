import { randomUUID } from 'node:crypto';
import { Probot } from 'probot';
import { countersign } from './app.ts';
import { type Limit, limitsOf } from './budget/limits.ts';
import type { PullRef } from './command/intent.ts';
import type { Config } from './config/config.ts';
import { servedBy } from './config/served-owners.ts';
import { version } from './config/version.ts';
import type { BudgetKeeper } from './github/meter.ts';
import { apiUrl, ProbotsOctokit } from './github/octokit.ts';
import { type AppGitHub, openGitHubs } from './github/open-github.ts';
import type { Take } from './intake/take-delivery.ts';
import type { Identity } from './introduce.ts';
import { openModel } from './model/openai-model.ts';
import type { Store } from './store/store.ts';
import { openAsItStands } from './sweep/as-it-stands.ts';
import { openHeartbeat } from './sweep/heartbeat.ts';
import { type Sweeper, startSweeper } from './sweep/sweeper.ts';
import { FAMILIES } from './telemetry/families.ts';
import type { openLog } from './telemetry/log.ts';
import { type Metrics, openMetrics } from './telemetry/metrics.ts';
import { openThread, type Thread } from './thread/open-thread.ts';
import { toolDefinitions } from './tools/definitions.ts';
import { asProbotOctokit } from './trust.ts';
import type { Counted } from './worker/context.ts';
import { type Retention, startRetention } from './worker/retention.ts';
import { startWorker, type Worker } from './worker/worker.ts';

export type Logger = ReturnType<typeof openLog>;
/** The adapters that live as long as the process. */
export type Parts = {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly githubs: AppGitHub;
  readonly thread: Thread;
  readonly now: () => number;
};

/** Opens everything around an open store; nothing is sent anywhere yet. */
export function openParts(config: Config, log: Logger, store: Store, now: () => number): Parts {
  const metrics = openMetrics();
  const githubs = openGitHubs({
    appId: config.app.id,
    privateKey: config.app.privateKey,
    baseUrl: apiUrl(config.github.host, config.github.protocol),
    version: version(),
    budget: keepBudgets(store, limitsOf(config.github.host), metrics, now),
    now,
  });
  return { config, log, metrics, store, githubs, thread: openThread({ log }), now };
}

/** Counts in the store, so that all processes share one budget and a restart forgets nothing of it. */
function keepBudgets(store: Store, limits: readonly Limit[], metrics: Metrics, now: () => number): BudgetKeeper {
  const waits = metrics.counter(FAMILIES.waits);
  return {
    async spend(installationId, wish) {
      const until = await store.spend(installationId, wish, limits, now());
      if (until !== null) waits.add({ by: 'budget' });
      return until;
    },
    async rest(installationId, until) {
      waits.add({ by: 'github' });
      await store.rest(installationId, until);
    },
  };
}

/** Probot with the product's application function; it verifies nothing and listens nowhere here. */
export async function openProbot({ config, log }: Parts, take: Take): Promise<Probot> {
  const probot = new Probot({
    appId: config.app.id,
    privateKey: config.app.privateKey,
    secret: config.app.webhookSecrets[0],
    Octokit: asProbotOctokit(ProbotsOctokit),
    baseUrl: apiUrl(config.github.host, config.github.protocol),
    // Whatever it would say we say ourselves, without payloads.
    log: log.child({}, { level: 'silent' }),
  });
  await probot.load(countersign(take));
  return probot;
}

function every(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms);
  return () => clearInterval(timer);
}

function countIn(metrics: Metrics): (counted: Counted) => void {
  const signals = metrics.counter(FAMILIES.signals);
  const effects = metrics.counter(FAMILIES.effects);
  return (counted) => {
    switch (counted.kind) {
      case 'signal':
        return signals.add({ reason: counted.reason });
      case 'effect':
        return effects.add({ effect: counted.effect, outcome: counted.outcome });
    }
  };
}

/** Starts the worker, now that it is known who we are. */
export function openWorker({ config, log, metrics, store, githubs, thread, now }: Parts, identity: Identity): Worker {
  const site = `${config.github.protocol}://${config.github.host}`;
  const context = {
    store,
    githubs,
    model: openModel({
      apiKey: config.model.apiKey,
      baseURL: config.model.baseUrl,
      model: config.model.name,
      tools: toolDefinitions(),
    }),
    clock: { now, every },
    log,
    self: { slug: identity.slug, botId: identity.botId },
    serves: servedBy(config.allowedOwners, identity.owner),
    links: ({ owner, repo }: PullRef) => ({ repository: `${site}/${owner}/${repo}` }),
    count: countIn(metrics),
    workOut: thread.workOut,
  };
  return startWorker(context, { name: randomUUID() });
}

/** Starts looking for lost webhooks, which `take` hears as if GitHub had sent them. */
export function openSweeper({ log, metrics, store, githubs, now }: Parts, take: Take, identity: Identity): Sweeper {
  const githubTime = (): number => now() + githubs.ahead();
  return startSweeper({
    heartbeat: openHeartbeat({ store, onCut: store.onCut, githubTime }),
    deliveries: githubs.deliveries,
    store,
    asItStands: openAsItStands({ self: identity, words: githubs.wordsAt }),
    take,
    clock: { now, every },
    githubTime,
    log,
    sweeps: metrics.counter(FAMILIES.sweeps),
    lost: metrics.counter(FAMILIES.lost),
  });
}

/** Starts forgetting what was kept long enough. */
export function openRetention({ log, store, now }: Parts): Retention {
  return startRetention({ store, clock: { now, every }, log });
}
