import { describe, expect, it } from 'vitest';
import { errorOf, http, mockEachTest, outcomeLater } from './http-mock.ts';

mockEachTest();

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** Above 2^53: as a number it would be the id of another delivery. */
const LARGE = '9007199254740993007';

const item = (id: string, more = ''): string =>
  `{"id":${id},"guid":"g-1","delivered_at":"2026-11-21T11:59:30.123Z","redelivery":false,"duration":0.1,"status":"Invalid HTTP Response: 502",
    "status_code":502,"event":"issue_comment","action":"created","installation_id":11,"repository_id":22${more}}`;

describe('the delivery log', () => {
  it('is read in pages, and ids above 2^53 stay exact (F8)', async () => {
    const link = '<https://api.github.com/app/hook/deliveries?per_page=100&cursor=v1_88>; rel="next"';
    http
      .plain()
      .get('/app/hook/deliveries')
      .query({ per_page: '100', status: 'failure' })
      .matchHeader('authorization', /^bearer /i)
      .reply(200, `[${item(LARGE)}]`, { ...JSON_TYPE, link });
    http
      .plain()
      .get('/app/hook/deliveries')
      .query({ per_page: '100', status: 'failure', cursor: 'v1_88' })
      .reply(200, `[${item('12', ',"throttled_at":null')}]`, JSON_TYPE);
    const first = await http.githubs.deliveries.fetchPage(null);
    expect(first).toEqual({
      nextCursor: 'v1_88',
      deliveries: [
        {
          id: LARGE,
          guid: 'g-1',
          repositoryId: 22,
          deliveredAt: Date.parse('2026-11-21T11:59:30.123Z'),
          event: 'issue_comment',
          action: 'created',
        },
      ],
    });
    expect(await http.githubs.deliveries.fetchPage(first.nextCursor)).toMatchObject({
      nextCursor: null,
      deliveries: [{ id: '12' }],
    });
  });

  it('a payload takes one request, with the exact id (F8)', async () => {
    const payload = { action: 'created', comment: { id: 5 } };
    http
      .plain()
      .get(`/app/hook/deliveries/${LARGE}`)
      .reply(200, `{"id":${LARGE},"request":{"headers":{},"payload":${JSON.stringify(payload)}}}`, JSON_TYPE);
    expect(await http.githubs.deliveries.fetchPayload(LARGE)).toEqual(payload);
  });

  it.each([410, 422])('a deleted delivery (%i) is null (F8)', async (status) => {
    http.plain().get('/app/hook/deliveries/7').reply(status, { message: 'Not Found' });
    expect(await http.githubs.deliveries.fetchPayload('7')).toBeNull();
  });

  it('a delivery that is not found twice is null (R2)', async () => {
    http.plain().get('/app/hook/deliveries/7').twice().reply(404, { message: 'Not Found' });
    expect(await outcomeLater(http, () => http.githubs.deliveries.fetchPayload('7'))).toBeNull();
  });

  it('a delivery without a payload is null (F8)', async () => {
    http
      .plain()
      .get('/app/hook/deliveries/7')
      .reply(200, { id: 7, request: { headers: null, payload: null } });
    expect(await http.githubs.deliveries.fetchPayload('7')).toBeNull();
  });

  it('a rate limit is an error with the time of the next attempt (H8)', async () => {
    const limited = { message: 'You have exceeded a secondary rate limit.' };
    http.plain().get('/app/hook/deliveries/7').reply(403, limited, { 'retry-after': '30' });
    expect(await errorOf(http.githubs.deliveries.fetchPayload('7'))).toMatchObject({
      status: 403,
      retryAt: expect.any(Number),
    });
  });

  it('a list in another form is an error, not an empty list (F8)', async () => {
    http
      .plain()
      .get('/app/hook/deliveries')
      .query(true)
      .reply(200, [{ id: 1 }]);
    expect((await errorOf(http.githubs.deliveries.fetchPage(null))).message).toContain('unknown form');
  });
});
