import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OVERFLOWS } from '../../../../src/adapters/model/error-meanings.ts';
import type { ModelFailureKind } from '../../../../src/core/step/model-port.ts';
import { failureOf, HELLO, NOW, never, openModel, RUN, raw } from './open-model.ts';

/** An error as an endpoint wrote it, shortened. */
const Refused = z.strictObject({
  row: z.string(),
  endpoint: z.string(),
  status: z.number(),
  body: z.unknown(),
  failure: z.string(),
  /** The endpoint’s words that the log has at least. */
  said: z.string().optional(),
  /** The delay that the body asks for. */
  retryAfterMs: z.number().optional(),
});

/** An answer with status 200 that holds an error. */
const Answered = z.strictObject({
  ...{ row: z.string(), endpoint: z.string(), contentType: z.string(), lines: z.array(z.string()) },
  ...{ failure: z.string(), status: z.number(), said: z.string() },
});

function recorded<Row extends z.ZodType>(file: string, row: Row): z.output<Row>[] {
  const path = join(import.meta.dirname, '../../../fixtures/endpoints/errors', file);
  return z.array(row).parse(JSON.parse(readFileSync(path, 'utf8')));
}

const REFUSED = recorded('refused.json', Refused);

const TRANSIENT: ReadonlySet<string> = new Set<ModelFailureKind>(['rate-limit', 'endpoint-failing', 'broken-call']);

/** The one failure of a request to an endpoint that answers so. */
async function failure(status: number, contentType: string, text: string) {
  const endpoint = await raw((response) => response.writeHead(status, { 'content-type': contentType }).end(text));
  const error = await failureOf(openModel(endpoint.url).ask(HELLO, never(), RUN));
  expect(endpoint.count()).toBe(1);
  return error;
}

describe('errors of real endpoints', () => {
  it.each(REFUSED)('$row: $endpoint, $status, is $failure', async ({ status, body, ...expected }) => {
    const { kind, report, retryAt } = await failure(status, 'application/json', JSON.stringify(body));
    expect([report?.failure, report?.status]).toEqual([expected.failure, status]);
    expect(kind).toBe(TRANSIENT.has(expected.failure) ? 'transient' : 'permanent');
    expect(report?.said).toContain(expected.said ?? '');
    expect(retryAt).toBe(expected.retryAfterMs === undefined ? null : NOW + expected.retryAfterMs);
  });

  it.each(recorded('answered.json', Answered))(
    '$row: $endpoint, with status 200, is $failure',
    async ({ contentType, lines, ...expected }) => {
      const { report } = await failure(200, contentType, lines.join('\n'));
      expect([report?.failure, report?.status]).toEqual([expected.failure, expected.status]);
      expect(report?.said).toContain(expected.said);
    },
  );

  it.each(OVERFLOWS)('R56: the words of %s are those of a recorded text', (_, words) => {
    const texts = REFUSED.filter(({ row }) => row === 'R56').map(({ body }) => JSON.stringify(body));
    expect(texts.filter((text) => words.test(text))).not.toEqual([]);
  });

  it('R56: no size is read from an overflow, whatever it counts', async () => {
    for (const { status, body } of REFUSED.filter(({ row }) => row === 'R56')) {
      const endpoint = await raw((response) => response.writeHead(status).end(JSON.stringify(body)));
      const model = openModel(endpoint.url);
      await failureOf(model.ask(HELLO, never(), RUN));
      expect(await model.maxRequestTokens(never())).toBeNull();
    }
  });
});

const ANSWER = { choices: [{ index: 0, message: { role: 'assistant', content: 'So.' }, finish_reason: 'stop' }] };

describe('answers that are no errors', () => {
  it.each(['text/plain; charset=utf-8', 'application/octet-stream', 'text/html'])(
    'R60: JSON that calls itself %s is read as JSON, also after blank lines',
    async (type) => {
      const endpoint = await raw((response) => {
        response.writeHead(200, { 'content-type': type }).write('\n\n');
        response.end(JSON.stringify(ANSWER));
      });
      expect((await openModel(endpoint.url).ask(HELLO, never(), RUN)).content).toBe('So.');
    },
  );

  it('R53: a choice whose error is null is an answer', async () => {
    const [choice] = ANSWER.choices;
    const body = { error: null, choices: [{ ...choice, error: null }] };
    const endpoint = await raw((response) => response.writeHead(200).end(JSON.stringify(body)));
    expect((await openModel(endpoint.url).ask(HELLO, never(), RUN)).content).toBe('So.');
  });

  it('R60: Azure’s filtered choice without a message is a filtered conversation', async () => {
    const choice = { index: 0, finish_reason: 'content_filter', content_filter_results: { hate: { filtered: true } } };
    const { kind, report, message } = await failure(200, 'application/json', JSON.stringify({ choices: [choice] }));
    expect([kind, report?.failure]).toEqual(['permanent', 'filtered']);
    expect(message).toMatch(/content filter/);
  });
});
