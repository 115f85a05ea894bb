import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposeRows } from '../support/rows.ts';

const stage = stageForAll({ needsSql: true });

afterEach(() => vi.restoreAllMocks());

type Page = { readonly status: number; readonly type: string | null; readonly body: string };

async function get(path: string): Promise<Page> {
  const response = await fetch(`${stage().server().url}${path}`);
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() };
}

const PLAIN = 'text/plain; charset=utf-8';

const ALIVE = { status: 200, type: PLAIN, body: 'alive\n' };

const READY = { status: 200, type: PLAIN, body: 'ready\n' };

const UNAVAILABLE = { status: 503, type: PLAIN, body: 'database\n' };

/** The metrics with their labels from the documentation for operators. */
function documentedFamilies(): ReadonlyMap<string, readonly string[]> {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(countersign_\w+)` \| (`[^|]*`)? ?\| [^|]+ \|$/gm)];
  return new Map(rows.map(([, name = '', labels = '']) => [name, labels.match(/\w+/g) ?? []]));
}

/** By the conventions of Prometheus. */
function typeOf(name: string): string {
  if (name.endsWith('_total')) return 'counter';
  return name.endsWith('_duration_seconds') ? 'histogram' : 'gauge';
}

type Sample = { readonly name: string; readonly labels: readonly string[]; readonly value: number };

function samplesOf(page: string): readonly Sample[] {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', labels = '', value = ''] =
      /^(\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? ([\d.e-]+)$/.exec(line) ?? [];
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
    return { name, labels: names.filter((label) => label !== 'le'), value: Number(value) };
  });
}

describe('the routes for operators', () => {
  it('without the database the process is live but not ready, says so in one word, and the log says why (J5, O17)', async () => {
    const before = stage().logged.length;
    vi.spyOn(stage().store(), 'ping').mockRejectedValue(new Error('no route to the database'));
    expect(await get('/readyz')).toEqual(UNAVAILABLE);
    expect(await get('/healthz')).toEqual(ALIVE);
    // The check of the App's setup can log at the same time.
    expect(stage().logged.slice(before).join('')).toContain('no route to the database');
    vi.restoreAllMocks();
    expect(await get('/readyz')).toEqual(READY);
  });

  it('O17: while GitHub is away the server stays ready, because work waits, and says who is away', async () => {
    const { ana, bot } = await proposeRows(stage(), { 5: 50 });
    stage().github.faults.add({ route: 'GET /app/hook/deliveries', kind: 'fail-before-apply', status: 502, times: 1 });
    await stage().later(5 * 60);
    expect(await get('/readyz')).toEqual({ ...READY, body: 'ready, without github\n' });
    expect((await get('/')).body).toContain('ready, but github does not answer');
    await ana.replies(bot.proposal(1), '/approve');
    expect(await get('/readyz')).toEqual(READY);
  });

  it('O30: the page at / says what this is, how it stands, and what the probes found, and names nobody', async () => {
    const { ana, bot, pr } = await proposeRows(stage(), { 5: 50 });
    await ana.replies(bot.proposal(1), '/approve');
    await stage().restart();
    await stage().settle();
    const { status, type, body } = await get('/');
    expect({ status, type }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    for (const words of [
      'Countersign',
      'ready',
      'webhooks',
      '✓ the App has all it needs on GitHub',
      '✓ the model answers',
    ])
      expect(body).toContain(words);
    expect(body).toMatch(/<dt>Changes that wait for people<\/dt><dd>\d+<\/dd>\n<dt>Runs<\/dt><dd>\d+<\/dd>/);
    expect(body).not.toContain('<script');
    const [owner = '', name = ''] = pr.fullName.split('/');
    for (const secret of [owner, name, ana.login]) expect(body).not.toContain(secret);
  });

  it('O8: one line says what runs here, with whom, and how it hears', () => {
    const ready = stage()
      .logged.map(parseJson)
      .findLast((line) => isRecord(line) && line['msg'] === 'ready');
    expect(ready).toMatchObject({
      ...{ version: expect.stringMatching(/^\d/), database: expect.stringContaining('PostgreSQL') },
      ...{ github: new URL(stage().github.url).host, app: 'countersign', installations: expect.any(Number) },
      ...{ model: 'scripted', endpoint: new URL(stage().model.url).host, owners: 'all', hears: 'webhooks' },
      ...{ paused: false, page: stage().server().url },
    });
  });

  it('O15: have exactly the documented metrics, with these labels, as counters, gauges and histograms', async () => {
    const { ana, bot } = await proposeRows(stage(), { 5: 50 });
    await ana.replies(bot.proposal(1), '/approve');
    const { body } = await get('/metrics');
    const families = documentedFamilies();
    expect(families.size).toBeGreaterThan(5);
    expect([...body.matchAll(/^# TYPE (.+)$/gm)].map(([, type]) => type)).toEqual(
      [...families.keys()].map((name) => `${name} ${typeOf(name)}`),
    );
    expect([...body.matchAll(/^# HELP (\w+) \S/gm)].map(([, name]) => name)).toEqual([...families.keys()]);
    const samples = samplesOf(body);
    for (const { name, labels } of samples) expect({ name, labels }).toEqual({ name, labels: families.get(name) });
    // What waits is read again after five seconds only.
    const isSettled = (name: string) => typeOf(name) !== 'gauge' || name.endsWith('_up');
    const counted = new Set(samples.filter(({ name, value }) => value > 0 && isSettled(name)).map(({ name }) => name));
    expect([...counted].sort()).toEqual(
      [
        'countersign_commit_duration_seconds',
        'countersign_database_up',
        'countersign_deliveries_total',
        'countersign_effects_total',
        'countersign_github_request_duration_seconds',
        'countersign_github_up',
        'countersign_http_responses_total',
        'countersign_model_request_duration_seconds',
        'countersign_model_tokens_total',
        'countersign_model_up',
        'countersign_recovery_runs_total',
        'countersign_signals_total',
        'countersign_wait_duration_seconds',
        'countersign_webhook_response_duration_seconds',
      ].sort(),
    );
  });
});
