import { Octokit } from '@octokit/rest';

/** A page of the App: a comment that shows a change. */
export type Page = {
  readonly proposal: string;
  readonly commentId: number;
  readonly place: 'thread' | 'conversation';
  readonly author: string;
  readonly body: string;
  readonly url: string;
};

/** A comment of the person, with GitHub's time of it. */
export type Said = { readonly id: number; readonly createdAt: string; readonly place: Page['place'] };

/** What a person does and sees on one repository, through GitHub's REST API with a token of their own. */
export type PersonOnGitHub = ReturnType<typeof createPersonOnGitHub>;

type Options = { readonly baseUrl: string; readonly token: string; readonly repository: string };

const PAGE = /^<!-- countersign:proposal:([a-z0-9]+) -->/;

/** Octokit's log would repeat failures that the report has. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export function createPersonOnGitHub({ baseUrl, token, repository }: Options) {
  const [owner = '', repo = ''] = repository.split('/');
  const { rest } = new Octokit({ auth: token, baseUrl, log: SILENT });
  const on = { owner, repo };

  async function comments(pull: number) {
    const [threads, conversation] = await Promise.all([
      rest.pulls.listReviewComments({ ...on, pull_number: pull, per_page: 100 }),
      rest.issues.listComments({ ...on, issue_number: pull, per_page: 100 }),
    ]);
    return [
      ...threads.data.map((one) => ({ ...one, place: 'thread' as const })),
      ...conversation.data.map((one) => ({ ...one, place: 'conversation' as const })),
    ];
  }

  return {
    repository,
    /** The person's login, the default branch, and whether the person can push. */
    async lookAround() {
      const [person, { data }] = await Promise.all([rest.users.getAuthenticated(), rest.repos.get(on)]);
      return { login: person.data.login, base: data.default_branch, canPush: data.permissions?.push === true };
    },
    /** A branch with one more file, and its pull request. */
    async openPull(branch: string, base: string, file: { readonly path: string; readonly text: string }) {
      const { data: head } = await rest.git.getRef({ ...on, ref: `heads/${base}` });
      await rest.git.createRef({ ...on, ref: `refs/heads/${branch}`, sha: head.object.sha });
      const content = Buffer.from(file.text).toString('base64');
      const message = 'Add a file for a trial of Countersign';
      await rest.repos.createOrUpdateFileContents({ ...on, path: file.path, branch, message, content });
      const body = 'A trial that closes itself.';
      const { data } = await rest.pulls.create({ ...on, base, head: branch, title: 'Try Countersign', body });
      return { number: data.number, url: data.html_url, base: head.object.sha };
    },
    async say(pull: number, body: string): Promise<Said> {
      const { data } = await rest.issues.createComment({ ...on, issue_number: pull, body });
      return { id: data.id, createdAt: data.created_at, place: 'conversation' };
    },
    /** Replies in the thread of a page, or names its change in the conversation where it has none. */
    async answer(pull: number, page: Page, body: string): Promise<Said> {
      if (page.place === 'conversation') return this.say(pull, body.replace(/^(\/\w+)/, `$1 ${page.proposal}`));
      const reply = { ...on, pull_number: pull, comment_id: page.commentId, body };
      const { data } = await rest.pulls.createReplyForReviewComment(reply);
      return { id: data.id, createdAt: data.created_at, place: 'thread' };
    },
    async pages(pull: number): Promise<readonly Page[]> {
      return (await comments(pull)).flatMap(({ id, place, user, body = '', html_url: url }) => {
        const proposal = PAGE.exec(body)?.[1];
        const author = user?.login ?? '';
        return proposal === undefined ? [] : [{ proposal, commentId: id, place, author, body, url }];
      });
    },
    async reactions({ id, place }: Said): Promise<readonly string[]> {
      const comment = { ...on, comment_id: id };
      const list =
        place === 'thread' ? rest.reactions.listForPullRequestReviewComment : rest.reactions.listForIssueComment;
      return (await list(comment)).data.map(({ content }) => content);
    },
    /** GitHub's time of a comment, as it stands there now. */
    async timeOf({ id }: Said): Promise<string> {
      return (await rest.issues.getComment({ ...on, comment_id: id })).data.created_at;
    },
    async head(pull: number): Promise<string> {
      return (await rest.pulls.get({ ...on, pull_number: pull })).data.head.sha;
    },
    async read(commit: string, path: string): Promise<string> {
      const { data: tree } = await rest.git.getTree({ ...on, tree_sha: commit, recursive: '1' });
      const sha = tree.tree.find((entry) => entry.path === path)?.sha ?? '';
      const { data } = await rest.git.getBlob({ ...on, file_sha: sha });
      return Buffer.from(data.content, 'base64').toString();
    },
    async checkRuns(commit: string) {
      return (await rest.checks.listForRef({ ...on, ref: commit })).data.check_runs;
    },
    async close(pull: number, branch: string): Promise<void> {
      await rest.pulls.update({ ...on, pull_number: pull, state: 'closed' });
      await rest.git.deleteRef({ ...on, ref: `heads/${branch}` });
    },
  };
}
