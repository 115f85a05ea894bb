const ana = { id: 11, login: 'ana', type: 'User' };

const common = {
  repository: { id: 5, name: 'shop', owner: { login: 'acme' } },
  sender: ana,
  installation: { id: 3 },
};

/** A person's new comment in a pull request's conversation. */
export function commented(body: string, id = 21) {
  const comment = { id, user: ana, body, created_at: '2026-03-01T10:00:00Z', performed_via_github_app: null };
  return { ...common, action: 'created', issue: { number: 7, pull_request: {} }, comment };
}

/** A person's reply in a review thread. */
export function replied(body: string, id = 31) {
  const comment = {
    id,
    in_reply_to_id: 30,
    pull_request_review_id: 40,
    user: ana,
    body,
    path: 'src/total.ts',
    line: 3,
    diff_hunk: '@@ -1 +1 @@',
    created_at: '2026-03-01T10:00:00Z',
  };
  return { ...common, action: 'created', pull_request: { number: 7 }, comment };
}

/** A review with a body. */
export function reviewed(body: string, id = 41) {
  const review = { id, user: ana, body, state: 'commented', submitted_at: '2026-03-01T10:00:00Z' };
  return { ...common, action: 'submitted', pull_request: { number: 7 }, review };
}

/** A push to the pull request's branch. */
export function pushed() {
  const [before, after] = ['a'.repeat(40), 'b'.repeat(40)];
  return { ...common, action: 'synchronize', pull_request: { number: 7 }, before, after };
}
