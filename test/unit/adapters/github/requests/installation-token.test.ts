import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorOf, type HttpMock, mockHttp, NOW, READ_PERMISSIONS, REF, REPO, WRITE_PERMISSIONS } from '../http-mock.ts';

let http: HttpMock;

const clock = { now: NOW };

beforeEach(() => {
  clock.now = NOW;
  http = mockHttp({ now: () => clock.now });
});

afterEach(() => http.finish());

/** Expects one request for a token with these permissions, and refuses it. */
function refuses(permissions: Readonly<Record<string, string>>, message: string): void {
  http
    .plain()
    .post('/app/installations/11/access_tokens', { repository_ids: [22], permissions })
    .reply(422, { message });
}

const NOT_GRANTED = 'The permissions requested are not granted to this installation.';

describe('the permissions of an installation', () => {
  it('are complete if GitHub gives the token for writing, which later writes use too (O4)', async () => {
    http.expectWriteToken();
    expect(await http.github.missingPermissions()).toEqual([]);
    expect(await http.github.missingPermissions()).toEqual([]);
    http.as('ghs_write').post(`${REPO}/issues/comments/8/reactions`).reply(201, {});
    await http.github.react({ at: 'conversation', commentId: 8 }, 'eyes');
  });

  it('are asked for if GitHub refuses that token, each time anew (O4)', async () => {
    refuses(WRITE_PERMISSIONS, NOT_GRANTED);
    const granted = { contents: 'read', issues: 'write', metadata: 'read', pull_requests: 'write' };
    http.plain().get(`${REPO}/installation`).reply(200, { id: 11, permissions: granted });
    expect(await http.github.missingPermissions()).toEqual(['contents: write']);
    http.expectWriteToken();
    expect(await http.github.missingPermissions()).toEqual([]);
  });

  it.each([
    [422, 'There is at least one repository that does not exist or is not accessible to the parent installation.'],
    [403, 'This installation has been suspended'],
    [502, 'Bad gateway'],
  ])('another refusal (%i) is an error, and no permission is missing (O4)', async (status, message) => {
    http.plain().post('/app/installations/11/access_tokens').reply(status, { message });
    expect((await errorOf(http.github.missingPermissions())).status).toBe(status);
  });
});

describe('an installation that lacks a permission', () => {
  it('reads people’s permissions and comments with lesser tokens, which can do nothing else (O4)', async () => {
    refuses(READ_PERMISSIONS, NOT_GRANTED);
    http.mints({ metadata: 'read' }, 'ghs_metadata');
    http
      .as('ghs_metadata')
      .get(`${REPO}/collaborators/ana/permission`)
      .reply(200, { permission: 'write', role_name: 'write', user: { id: 5 } });
    expect(await http.github.fetchPermission('ana')).toEqual({ permission: 'write', userId: 5 });
    refuses(WRITE_PERMISSIONS, NOT_GRANTED);
    http.mints({ pull_requests: 'write', metadata: 'read' }, 'ghs_comments');
    http.as('ghs_comments').post(`${REPO}/issues/comments/8/reactions`).reply(201, {});
    await http.github.react({ at: 'conversation', commentId: 8 }, 'eyes');
  });
});

const SUSPENDED = 'This installation has been suspended';

const NOT_ACCESSIBLE = 'There is at least one repository that is not accessible to the parent installation.';

describe('a token that GitHub refuses (X10)', () => {
  const ask = async (number: number, ref = REF) => errorOf(http.githubs.forPull({ ...ref, number }).fetchPull());

  it.each([
    ['suspended', 403, SUSPENDED],
    ['gone', 404, 'Not Found'],
    ['not there', 422, NOT_ACCESSIBLE],
  ])(
    'because the installation is %s costs one request a minute, however many people write (X10)',
    async (_, status, message) => {
      const refused = () => http.plain().post('/app/installations/11/access_tokens').reply(status, { message });
      refused();
      const first = await ask(1);
      for (let number = 2; number <= 14; number += 1) expect(await ask(number)).toEqual(first);
      clock.now += 59_000;
      expect((await ask(15)).status).toBe(status);
      clock.now += 1_001;
      refused();
      expect((await ask(16)).status).toBe(status);
      expect((await ask(17)).status).toBe(status);
    },
  );

  it('because a permission is not granted is asked for once a minute; lesser tokens serve until then (X10)', async () => {
    const answers = () =>
      http
        .as('ghs_metadata')
        .get(/\/collaborators\//)
        .reply(404, {});
    refuses(READ_PERMISSIONS, NOT_GRANTED);
    http.mints({ metadata: 'read' }, 'ghs_metadata');
    for (let number = 1; number <= 14; number += 1) {
      answers();
      await http.githubs.forPull({ ...REF, number }).fetchPermission(`stranger-${number}`);
    }
    clock.now += 60_001;
    http.expectReadToken();
    http
      .as('ghs_read')
      .get(/\/collaborators\//)
      .reply(404, {});
    await http.github.fetchPermission('stranger');
  });

  it('says nothing about another installation, another repository or other permissions (X10)', async () => {
    http.plain().post('/app/installations/11/access_tokens').reply(422, { message: NOT_ACCESSIBLE });
    await ask(1);
    http.plain().post('/app/installations/11/access_tokens').reply(502, { message: 'Bad gateway' });
    expect((await ask(1, { ...REF, repositoryId: 23 })).status).toBe(502);
    http.plain().post('/app/installations/12/access_tokens').reply(502, { message: 'Bad gateway' });
    expect((await ask(1, { ...REF, installationId: 12 })).status).toBe(502);
    http.expectWriteToken();
    expect(await http.github.missingPermissions()).toEqual([]);
  });

  it('is asked for again after a failure that is no refusal, and after news about the installation (X10)', async () => {
    http.plain().post('/app/installations/11/access_tokens').reply(502, { message: 'Bad gateway' });
    expect((await ask(1)).status).toBe(502);
    http.plain().post('/app/installations/11/access_tokens').reply(403, { message: SUSPENDED });
    expect((await ask(2)).status).toBe(403);
    http.githubs.forgetRefusals(12);
    expect((await ask(3)).status).toBe(403);
    http.githubs.forgetRefusals(11);
    http.expectReadToken();
    http
      .as('ghs_read')
      .get(/\/collaborators\//)
      .reply(404, {});
    await http.github.fetchPermission('ana');
  });

  it('is forgotten once a person with write access has found out that nothing is missing (X10)', async () => {
    refuses(READ_PERMISSIONS, NOT_GRANTED);
    http.mints({ metadata: 'read' }, 'ghs_metadata');
    http
      .as('ghs_metadata')
      .get(/\/collaborators\//)
      .reply(404, {});
    await http.github.fetchPermission('ana');
    http.expectWriteToken();
    expect(await http.github.missingPermissions()).toEqual([]);
    http.expectReadToken();
    http
      .as('ghs_read')
      .get(/\/collaborators\//)
      .reply(404, {});
    await http.github.fetchPermission('ben');
  });
});
