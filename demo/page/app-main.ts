/** The App in a process of its own, which the page can kill. It tells its parent what it hears, decides and does. */
import { flushCompileCache } from 'node:module';
import process from 'node:process';
import { openStore } from '../../src/adapters/store/open.ts';
import type { Store } from '../../src/adapters/store/store.ts';
import { createLogger } from '../../src/adapters/telemetry/log.ts';
import { listSecrets, loadConfig } from '../../src/app/config/env.ts';
import { startServer } from '../../src/app/server.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import type { AppMessage, ParentMessage, SeenStep } from './app-messages.ts';

type Step = Parameters<Store['save']>[2];

type Signal = Parameters<Store['saveIfInboxEmpty']>[1];

/** How far the clock is ahead of the machine's (ms), as GitHub's clock is. */
let ahead = 0;

function now(): number {
  return Date.now() + ahead;
}

function tell(message: AppMessage): void {
  // The parent is gone when its channel is closed; the process then ends by itself.
  if (process.connected) process.send?.(message);
}

/** The longest part of a message of the model's transcript that is told. */
const MAX_TEXT = 6_000;

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
}

function seenStep(signal: Signal, step: Step): SeenStep {
  const { ref, run } = step.pull;
  const isIntent = signal.type === 'intent';
  return {
    kind: 'step',
    at: now(),
    pull: `${ref.owner}/${ref.repo}#${ref.number}`,
    signal: isIntent ? signal.intent.kind : signal.type,
    by: isIntent ? signal.intent.actor.login : null,
    reason: step.reason,
    effects: step.effects.map(({ type }) => type),
    phase: run?.phase.kind ?? null,
    tokens: signal.type === 'model-responded' ? signal.response.usage : null,
    messages: step.messages.map((message) => ({
      role: message.role,
      text: cut(message.content ?? ''),
      calls:
        'toolCalls' in message ? message.toolCalls.map((call) => ({ name: call.name, text: cut(call.arguments) })) : [],
    })),
  };
}

/** A store that tells of each step once it is saved. */
function withTelling(store: Store): Store {
  return {
    ...store,
    save: async (claim, stored, step, at) => {
      const result = await store.save(claim, stored, step, at);
      if (result === 'saved') tell(seenStep(stored.signal, step));
      return result;
    },
    saveIfInboxEmpty: async (claim, signal, step, at) => {
      const result = await store.saveIfInboxEmpty(claim, signal, step, at);
      if (result === 'saved') tell(seenStep(signal, step));
      return result;
    },
  };
}

/** Log lines that a person understands; the steps are told by the store. */
const TOLD_LINES: ReadonlySet<unknown> = new Set(['delivery', 'decided']);

function tellLine(line: string): void {
  const entry = parseJson(line);
  if (!isRecord(entry)) return;
  const isTrouble = typeof entry['level'] === 'number' && entry['level'] >= 40;
  if (isTrouble || TOLD_LINES.has(entry['msg'])) tell({ kind: 'line', at: now(), isTrouble, entry });
}

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  const loaded = loadConfig(environment);
  if (loaded.kind === 'problems') return tell({ kind: 'problem', text: loaded.problems.join(' ') });
  const { config } = loaded;
  const log = createLogger({ ...config.log, secrets: listSecrets(config), stream: { write: tellLine } });
  const store = withTelling(await openStore({ databaseUrl: null, dataDir: config.database.dataDir }));
  const server = await startServer(config, log, { store, now });
  tell({ kind: 'listening', url: server.url });
  // Its parent kills it, so that it never ends by itself and leaves its compiled code.
  flushCompileCache();
}

process.on('message', (message: ParentMessage) => {
  ahead = message.ahead;
  if (message.environment === undefined) return;
  start(message.environment).catch((error: unknown) => {
    tell({ kind: 'problem', text: error instanceof Error ? error.message : String(error) });
  });
});
