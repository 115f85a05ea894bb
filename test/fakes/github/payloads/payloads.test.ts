import { describe, expect, it } from 'vitest';
import { simpleUserPayload } from '../../../../fakes/github/payloads/accounts.ts';
import { filePayload } from '../../../../fakes/github/payloads/commits.ts';
import { fullPullRequestPayload } from '../../../../fakes/github/payloads/pull-requests.ts';
import { listPullFileDiffs } from '../../../../fakes/github/state/commits.ts';
import { createFixture } from '../fixture.ts';

const path = 'src/a.txt';

describe('payloads (J13)', () => {
  it('a deleted account is null (A8)', () => {
    const fixture = createFixture();
    expect(simpleUserPayload(fixture.state(), null)).toBeNull();
    expect(simpleUserPayload(fixture.state(), 12)).toBeNull();
  });

  it('files have their patches and counts', () => {
    const fixture = createFixture();
    const files = listPullFileDiffs(fixture.state().store, fixture.pull()).map((file) =>
      filePayload(fixture.state(), fixture.repository(), 'head', file),
    );
    expect(files).toMatchObject([
      { filename: path, status: 'modified', additions: 2, deletions: 1, changes: 3 },
      { filename: 'src/gone.txt', status: 'removed', patch: '@@ -1 +0,0 @@\n-gone' },
      { filename: 'src/new.txt', status: 'added', patch: '@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file' },
    ]);
    expect(fullPullRequestPayload(fixture.state(), fixture.repository(), fixture.pull())).toMatchObject({
      additions: 4,
      deletions: 2,
      changed_files: 3,
      commits: 1,
    });
  });
});
