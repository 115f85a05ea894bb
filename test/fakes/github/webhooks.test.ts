import { describe, expect, it } from 'vitest';
import { createObjectStore } from '../../../fakes/github/git/objects.ts';
import type { WebhookRequest } from '../../../fakes/github/http/server-state.ts';
import { EMPTY_AUDIT_LOG } from '../../../fakes/github/state/audit-log.ts';
import type { FakeRepository, GitHubState } from '../../../fakes/github/state/github-state.ts';
import type { WebhookEvent } from '../../../fakes/github/state/operation.ts';
import { createDeliveries, type FakeDeliveries } from '../../../fakes/github/webhooks.ts';

const createdAt = '2026-01-01T00:00:00Z';

function repository(id: number): FakeRepository {
  const refs = { collaborators: new Map(), refs: new Map(), rulesets: [], issues: new Map(), pulls: new Map() };
  const dates = { createdAt, pushedAt: createdAt };
  const names = {
    name: `r${id}`,
    previousNames: [],
    private: false,
    defaultBranch: 'main',
    forkOf: null,
    nextNumber: 1,
    checkSuites: new Map(),
    checkRuns: new Map(),
    statuses: [],
    labels: new Map(),
  };
  return { id, nodeId: `R_${id}`, ownerId: 1, ...names, ...dates, ...refs };
}

const app = {
  id: 9,
  nodeId: 'A_9',
  slug: 'countersign',
  name: 'Countersign',
  ownerId: 1,
  botId: 2,
  clientId: 'Iv1',
  permissions: {},
  events: ['push'],
  createdAt,
};

const github: GitHubState = {
  host: { apiUrl: 'http://x', webUrl: 'http://x' },
  store: createObjectStore(),
  nextId: 100,
  accounts: new Map(),
  apps: new Map([[9, app]]),
  installations: new Map([
    [
      5,
      {
        id: 5,
        appId: 9,
        accountId: 1,
        repositories: [10, 11],
        permissions: {},
        events: ['push'],
        createdAt,
        suspendedAt: null,
      },
    ],
  ]),
  teams: new Map(),
  repositories: new Map([10, 11, 12].map((id) => [id, repository(id)])),
  auditLog: EMPTY_AUDIT_LOG,
};

function push(repositoryId: number, text = 'x'): WebhookEvent {
  return { name: 'push', action: null, repositoryId, payload: { text } };
}

type Sent = { readonly request: WebhookRequest; readonly answer: (status: number) => void };

function start(): { readonly deliveries: FakeDeliveries; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const send = (request: WebhookRequest): Promise<number> =>
    new Promise((resolve) => {
      sent.push({ request, answer: resolve });
    });
  return { deliveries: createDeliveries({ appId: 9, secret: 's3cret', send, violations: [] }), sent };
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const bodies = (sent: readonly Sent[]): readonly string[] => sent.map(({ request }) => request.body);

describe('webhook deliveries', () => {
  it('keeps the order within a repository, but not across repositories', async () => {
    const { deliveries, sent } = start();
    for (const event of [push(10, 'first'), push(10, 'second'), push(11, 'other')]) deliveries.enqueue(event, github);
    await tick();
    expect(bodies(sent).map((body) => /first|second|other/.exec(body)?.[0])).toEqual(['first', 'other']);
    sent[0]?.answer(202);
    await tick();
    expect(sent).toHaveLength(3);
  });

  it('leaves out events without a subscription, and repositories without the App', async () => {
    const { deliveries } = start();
    deliveries.enqueue({ ...push(10), name: 'star' }, github);
    deliveries.enqueue(push(12), github);
    expect(deliveries.log).toEqual([]);
  });

  it('drops, duplicates, holds and redelivers with the same GUID, and is idle only when all are answered', async () => {
    const { deliveries, sent } = start();
    const actions = ['drop', 'duplicate', 'hold'] as const;
    deliveries.intercept(({ id }) => actions[id - 1] ?? 'send');
    for (const text of ['lost', 'twice', 'late']) deliveries.enqueue(push(10, text), github);
    let settled = false;
    const settling = deliveries.whenIdle().then(() => {
      settled = true;
    });
    await tick();
    sent[0]?.answer(500);
    await tick();
    deliveries.releaseHeld();
    const [lost, twice, late] = deliveries.log;
    if (lost !== undefined) deliveries.redeliver(lost);
    expect(settled).toBe(false);
    for (let turn = 1; turn < 4; turn += 1) {
      await tick();
      sent[turn]?.answer(202);
    }
    await settling;
    expect(sent.map(({ request }) => request.headers['x-github-delivery'])).toEqual(
      [twice, twice, late, lost].map((delivery) => delivery?.guid),
    );
    expect(twice?.statuses).toEqual([500, 202]);
  });
});
