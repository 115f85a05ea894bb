/** The App in these payloads. */
export const APP = { slug: 'countersign', botId: 900 } as const;

export const ANA = { id: 11, login: 'ana', node_id: 'U_11', type: 'User', site_admin: false } as const;

export const BOT = { id: 900, login: 'countersign[bot]', type: 'Bot' } as const;

// Payloads in GitHub's shape, reduced to the fields around those that are parsed.

const repository = {
  id: 501,
  name: 'shop',
  full_name: 'acme/shop',
  private: true,
  owner: { id: 7, login: 'acme', type: 'Organization' },
};

const common = { repository, installation: { id: 42, node_id: 'I_42' }, sender: ANA };

const pull = { id: 3001, number: 12, state: 'open', title: 'Totals', draft: false, user: ANA };

export type Payload = Readonly<Record<string, unknown>>;

/** `issue_comment` on pull request 12; `comment` replaces fields of the comment, `over` fields of the payload. */
export function issueComment(body: string, comment: Payload = {}, over: Payload = {}): Payload {
  return {
    action: 'created',
    ...common,
    issue: {
      id: 3000,
      number: 12,
      title: 'Totals',
      pull_request: { url: 'https://api.github.com/repos/acme/shop/pulls/12' },
    },
    comment: {
      id: 7001,
      user: ANA,
      body,
      created_at: '2026-11-20T10:00:00Z',
      updated_at: '2026-11-20T10:00:00Z',
      author_association: 'CONTRIBUTOR',
      performed_via_github_app: null,
      ...comment,
    },
    ...over,
  };
}

/** `pull_request_review_comment`: a reply in the thread of comment 8000 unless `comment` says otherwise. */
export function reviewComment(body: string, comment: Payload = {}, over: Payload = {}): Payload {
  return {
    action: 'created',
    ...common,
    pull_request: pull,
    comment: {
      id: 8001,
      in_reply_to_id: 8000,
      pull_request_review_id: 8100,
      user: ANA,
      body,
      path: 'src/total.ts',
      line: 3,
      original_line: 3,
      diff_hunk: '@@ -1,3 +1,3 @@\n-let total = 0',
      subject_type: 'line',
      created_at: '2026-11-20T10:00:00Z',
      ...comment,
    },
    ...over,
  };
}

/** `pull_request_review` on pull request 12; `fields` replaces fields of the review. */
export function review(body: string | null, fields: Payload = {}, over: Payload = {}): Payload {
  return {
    action: 'submitted',
    ...common,
    pull_request: pull,
    review: { id: 9001, user: ANA, body, state: 'commented', submitted_at: '2026-11-20T10:00:00Z', ...fields },
    ...over,
  };
}

/** `pull_request_review`: Ana dismisses a review of the App. */
export function dismissed(fields: Payload = {}, over: Payload = {}): Payload {
  return {
    action: 'dismissed',
    ...common,
    pull_request: pull,
    review: { id: 9100, user: BOT, body: 'Countersign proposes 2 changes.', state: 'dismissed', ...fields },
    ...over,
  };
}

/** `pull_request`: a push to pull request 12. */
export function pushed(over: Payload = {}): Payload {
  return {
    action: 'synchronize',
    ...common,
    number: 12,
    pull_request: pull,
    before: 'a'.repeat(40),
    after: 'b'.repeat(40),
    ...over,
  };
}

/** `pull_request`: pull request 12 is closed. */
export function closed(merged: boolean, over: Payload = {}): Payload {
  return { action: 'closed', ...common, number: 12, pull_request: { ...pull, merged }, ...over };
}
