import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultOf, type HttpMock, mockHttp } from './http-mock.ts';

let http: HttpMock;
beforeEach(() => {
  http = mockHttp();
});
afterEach(() => http.finish());

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
/** Above 2^53: read as a number it would be another delivery's. */
const LARGE = '9007199254740993007';

const item = (id: string, more = ''): string =>
  `{"id":${id},"guid":"g-1","delivered_at":"2026-11-21T11:59:30.123Z","redelivery":false,"duration":0.1,"status":"OK",
    "status_code":502,"event":"issue_comment","action":"created","installation_id":11,"repository_id":22${more}}`;

describe('the log of deliveries', () => {
  it('F8: is read in pages, and numbers beyond 2^53 stay what they are', async () => {
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
      .query({ per_page: '100', cursor: 'v1_88' })
      .reply(200, `[${item('12', ',"throttled_at":null')}]`, JSON_TYPE);
    const first = await http.githubs.deliveries.page(null, 'failed');
    expect(first).toEqual({
      next: 'v1_88',
      deliveries: [
        {
          id: LARGE,
          guid: 'g-1',
          deliveredAt: Date.parse('2026-11-21T11:59:30.123Z'),
          answered: false,
          event: 'issue_comment',
          action: 'created',
          repositoryId: 22,
        },
      ],
    });
    expect(await http.githubs.deliveries.page(first.next, 'all')).toMatchObject({
      next: null,
      deliveries: [{ id: '12' }],
    });
  });

  it('F8: a payload comes with one request, by the whole number', async () => {
    const payload = { action: 'created', comment: { id: 5 } };
    http
      .plain()
      .get(`/app/hook/deliveries/${LARGE}`)
      .reply(200, `{"id":${LARGE},"request":{"headers":{},"payload":${JSON.stringify(payload)}}}`, JSON_TYPE);
    expect(await http.githubs.deliveries.payload(LARGE)).toEqual(payload);
  });

  it.each([404, 410, 422])('F8: one that GitHub has no longer (%i) is none', async (status) => {
    http.plain().get('/app/hook/deliveries/7').reply(status, { message: 'Not Found' });
    expect(await http.githubs.deliveries.payload('7')).toBeNull();
  });

  it('F8: one whose payload GitHub does not keep is none', async () => {
    http
      .plain()
      .get('/app/hook/deliveries/7')
      .reply(200, { id: 7, request: { headers: null, payload: null } });
    expect(await http.githubs.deliveries.payload('7')).toBeNull();
  });

  it('H8: a limit is a fault that says when it is over, whatever was asked', async () => {
    const limited = { message: 'You have exceeded a secondary rate limit.' };
    http.plain().get('/app/hook/deliveries/7').reply(403, limited, { 'retry-after': '30' });
    expect(await faultOf(http.githubs.deliveries.payload('7'))).toMatchObject({
      status: 403,
      retryAt: expect.any(Number),
    });
  });

  it('F8: a list in another form is a fault, not an empty list', async () => {
    http
      .plain()
      .get('/app/hook/deliveries')
      .query(true)
      .reply(200, [{ id: 1 }]);
    expect((await faultOf(http.githubs.deliveries.page(null, 'all'))).message).toContain('unknown form');
  });
});
