import { describe, expect, it } from 'vitest';
import { errorOf, http, mockEachTest, READ_PERMISSIONS, REPO, REQUIRED, WRITE_PERMISSIONS } from '../http-mock.ts';

mockEachTest();

const NOT_GRANTED = { message: 'The permissions requested are not granted to this installation.' };

/** Expects one request for a token with each of these, and refuses it. */
function refuses(...sets: readonly Readonly<Record<string, string>>[]): void {
  for (const permissions of sets) {
    const asked = { repository_ids: [22], permissions };
    http.plain().post('/app/installations/11/access_tokens', asked).reply(422, NOT_GRANTED);
  }
}

describe('the permissions of an installation', () => {
  it('are complete if GitHub gives the token for writing, which later writes use too (O4)', async () => {
    http.expectWriteToken();
    expect(await http.github.missingPermissions()).toEqual([]);
    expect(await http.github.missingPermissions()).toEqual([]);
    http.as('ghs_write').post(`${REPO}/issues/comments/8/reactions`).reply(201, {});
    await http.github.react({ at: 'conversation', commentId: 8 }, 'eyes');
  });

  it('are asked for if GitHub refuses that token, each time anew (O4)', async () => {
    refuses(WRITE_PERMISSIONS, REQUIRED.write);
    const granted = { contents: 'read', issues: 'write', metadata: 'read', pull_requests: 'write' };
    http.plain().get(`${REPO}/installation`).reply(200, { id: 11, permissions: granted });
    expect(await http.github.missingPermissions()).toEqual(['contents: write']);
    http.mints(REQUIRED.write, 'ghs_write');
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
    refuses(READ_PERMISSIONS, REQUIRED.read);
    http.mints({ metadata: 'read' }, 'ghs_metadata');
    http
      .as('ghs_metadata')
      .get(`${REPO}/collaborators/ana/permission`)
      .reply(200, { permission: 'write', role_name: 'write', user: { id: 5 } });
    expect(await http.github.fetchPermission('ana')).toEqual({ permission: 'write', userId: 5 });
    refuses(WRITE_PERMISSIONS, REQUIRED.write);
    http.mints({ pull_requests: 'write', metadata: 'read' }, 'ghs_comments');
    http.as('ghs_comments').post(`${REPO}/issues/comments/8/reactions`).reply(201, {});
    await http.github.react({ at: 'conversation', commentId: 8 }, 'eyes');
  });

  it('the App finds its check run with a token for checks alone', async () => {
    const checks = { checks: 'write', metadata: 'read' };
    http.introduces();
    refuses(WRITE_PERMISSIONS);
    http.mints(checks, 'ghs_checks');
    http
      .as('ghs_checks')
      .get(/check-runs/)
      .reply(200, []);
    expect(await http.github.findCheckRuns('main')).toEqual([]);
  });

  it('does without those for checks, which are asked for again after ten minutes (CK2)', async () => {
    http.introduces();
    refuses(WRITE_PERMISSIONS, READ_PERMISSIONS, { checks: 'write', metadata: 'read' });
    http.mints(REQUIRED.write, 'ghs_required');
    expect(await http.github.missingPermissions()).toEqual([]);
    for (const later of [1, 599_999]) {
      http.clock.now += later;
      http.as('ghs_required').post(`${REPO}/issues/comments/8/reactions`).reply(201, {});
      await http.github.react({ at: 'conversation', commentId: 8 }, 'eyes');
      expect([await http.github.fetchChecks(), await http.github.findCheckRuns('main')]).toEqual([null, null]);
    }
    http.clock.now += 1;
    http.expectWriteToken();
    const asked = /check-runs/;
    http.as('ghs_write').get(asked).reply(200, []);
    expect(await http.github.findCheckRuns('main')).toEqual([]);
  });
});
