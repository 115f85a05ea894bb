import { createServer } from 'node:http';
import { z } from 'zod';
import type { FakeGitHub } from '../../../fakes/github/fake-github.ts';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { createPerson } from '../../../fakes/people/person.ts';
import { parseJson } from '../../../src/lib/trust.ts';
import { listen } from '../../support/listen.ts';

type Options = {
  readonly github: FakeGitHub;
  readonly repositoryId: number;
  readonly accountId: number;
  /** An installation token, with which the person's reads are done. */
  readonly readToken: string;
};

/** GitHub's REST API for a person's token: the person's writes are operations of the fake, all else is passed on. */
export async function openPersonDoor({ github, repositoryId, accountId, readToken }: Options) {
  const actor = { accountId, viaAppId: null };
  const on = { actor, repositoryId };
  const personAt = (number: number) => createPerson(github.apply, { accountId, repositoryId, number, branch: '' });
  const repository = () => github.state().repositories.get(repositoryId);
  const comment = ({ id, createdAt }: { readonly id: number; readonly createdAt: string }) => ({
    id,
    created_at: createdAt,
  });
  const answers: readonly {
    readonly route: RegExp;
    readonly run: (match: readonly string[], body: Body) => object | null;
  }[] = [
    { route: /^GET \/user$/, run: () => ({ login: github.state().accounts.get(accountId)?.login }) },
    {
      route: /^GET \/repos\/[^/]+\/[^/]+$/,
      run: () => ({ default_branch: repository()?.defaultBranch, permissions: { push: true } }),
    },
    {
      route: /^POST .*\/git\/refs$/,
      run: (_, { ref, sha }) => ({ object: { sha: github.apply(OPERATIONS.createGitRef, { ...on, ref, sha }) } }),
    },
    {
      route: /^PUT .*\/contents\/(.+)$/,
      run: ([, path = ''], { branch, content }) => {
        const files = new Map([[path, Buffer.from(content, 'base64')]]);
        return { commit: { sha: github.apply(OPERATIONS.pushFiles, { ...on, branch, files }) } };
      },
    },
    {
      route: /^POST .*\/pulls$/,
      run: (_, { title, head }) => {
        const { number } = github.apply(OPERATIONS.createPullRequest, { ...on, title, head });
        return { number, html_url: `${github.url}/acme/trials/pull/${number}` };
      },
    },
    {
      route: /^POST .*\/issues\/(\d+)\/comments$/,
      run: ([, pull], { body }) => comment(personAt(Number(pull)).says(body)),
    },
    {
      route: /^POST .*\/pulls\/(\d+)\/comments\/(\d+)\/replies$/,
      run: ([, pull, page], { body }) => comment(personAt(Number(pull)).replies(Number(page), body)),
    },
    { route: /^PATCH .*\/pulls\/(\d+)$/, run: ([, pull]) => ({ number: personAt(Number(pull)).closes().number }) },
    {
      route: /^DELETE .*\/git\/refs\/heads(?:\/|%2F)(.+)$/,
      run: ([, branch = '']) => github.apply(OPERATIONS.deleteGitRef, { ...on, ref: `refs/heads/${branch}` }),
    },
  ];

  async function handle(method: string, address: string, authorization: string, bytes: Buffer) {
    const isPerson = authorization.startsWith('token ghp_');
    const found = answers.find(({ route }) => isPerson && route.test(`${method} ${address}`));
    if (found !== undefined) {
      const body = bytes.length === 0 ? {} : parseJson(bytes.toString());
      const value = found.run(found.route.exec(`${method} ${address}`) ?? [], Body.parse(body));
      return {
        status: value === null ? 204 : method === 'GET' ? 200 : 201,
        body: value === null ? '' : JSON.stringify(value),
      };
    }
    const headers = { authorization: isPerson ? `token ${readToken}` : authorization, accept: 'application/json' };
    const body = bytes.length === 0 ? {} : { body: bytes };
    const response = await fetch(`${github.url}/api/v3${address}`, { method, headers, ...body });
    return { status: response.status, body: await response.text() };
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const { status, body } = await handle(method, url, headers.authorization ?? '', Buffer.concat(chunks));
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body);
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, close: () => void server.close() };
}

const text = z.string().default('');

/** The fields of a person's writes. */
const Body = z.object({
  ...{ ref: text, sha: text, branch: text, content: text },
  ...{ title: text, head: text, body: text },
});

type Body = z.infer<typeof Body>;
