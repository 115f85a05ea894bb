import type { RequestIdentity, RequiredPermission } from '../http/auth.ts';
import type { ApiResponse, RawHttpRequest } from '../http/http-messages.ts';
import type { ServerState } from '../http/server-state.ts';
import type { Operations } from '../operations/operations.ts';
import { REACTION_CONTENTS } from '../payloads/issues.ts';
import type { FakeActor, FakeReactionContent, FakeRepository } from '../state/github-state.ts';

/**
 * A REST operation: its name in GitHub’s OpenAPI description, its access rule and its handler. Only installations can
 * call repository routes.
 */
export type ApiRoute =
  | {
      readonly scope: 'global';
      readonly name: string;
      readonly caller: 'app' | 'anyone';
      readonly handle: (context: RouteContext) => ApiResponse;
    }
  | {
      readonly scope: 'repository';
      readonly name: string;
      readonly requiredPermission: RequiredPermission;
      readonly handle: (context: RepositoryRouteContext) => ApiResponse;
    };

/** A route with the decoded parameters of its path. */
export type RouteMatch = { readonly route: ApiRoute; readonly params: Readonly<Record<string, string>> };

export type RouteTable = readonly { readonly method: string; readonly pattern: RegExp; readonly route: ApiRoute }[];

/** Creates a route for the App (JWT) or for anyone. */
export function createGlobalRoute(
  name: string,
  caller: 'app' | 'anyone',
  handle: (context: RouteContext) => ApiResponse,
): ApiRoute {
  return { scope: 'global', name, caller, handle };
}

/** Creates a route in a repository; `rest` follows `/repos/{owner}/{repo}`, as in `GET /pulls/{pull_number}`. */
export function createRepositoryRoute(
  rest: string,
  requiredPermission: RequiredPermission,
  handle: (context: RepositoryRouteContext) => ApiResponse,
): ApiRoute {
  const [method = '', path = ''] = rest.split(' ');
  return { scope: 'repository', name: `${method} /repos/{owner}/{repo}${path}`, requiredPermission, handle };
}

/** Routes whose last parameter can contain slashes. */
const MULTI_SEGMENT_PARAM =
  /(\/git\/refs?\/\{ref\}|\/tarball\/\{ref\}|\/branches\/\{branch\}|\/compare\/\{basehead\})$/;

export function compileRoutes(routes: readonly ApiRoute[]): RouteTable {
  return routes.map((route) => {
    const [method = '', path = ''] = route.name.split(' ');
    const greedy = MULTI_SEGMENT_PARAM.test(path);
    const source = path.replace(/\{(\w+)\}/g, (whole, name: string, at: number) => {
      const last = at + whole.length === path.length;
      return `(?<${name}>${greedy && last ? '.+' : '[^/]+'})`;
    });
    return { method, pattern: new RegExp(`^${source}$`), route };
  });
}

/** Finds the route of a method and an encoded path. A path with invalid encoding matches no route. */
export function matchRoute(table: RouteTable, method: string, path: string): RouteMatch | undefined {
  for (const { method: wanted, pattern, route } of table) {
    const match = wanted === method ? pattern.exec(path) : null;
    const params = match === null ? undefined : decodeParams(match.groups ?? {});
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

function decodeParams(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}

/** The input of a handler. `body` is `{}` without a body; `now` is in ms. */
export type RouteContext = {
  readonly request: RawHttpRequest;
  readonly state: ServerState;
  readonly operations: Operations;
  readonly now: number;
  readonly identity: RequestIdentity;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly accept: string;
};

/** A request of an installation on an accessible repository. */
export type RepositoryRouteContext = RouteContext & { readonly repository: FakeRepository; readonly actor: FakeActor };

/** Reads a number from the path; NaN for other text, which matches no id. */
export function readNumberParam(context: RouteContext, name: string): number {
  return Number(context.params[name]);
}

/** Reads a text from the path; empty if missing, which matches no name. */
export function readTextParam(context: RouteContext, name: string): string {
  return context.params[name] ?? '';
}

export function readTextField(context: RouteContext, name: string): string | undefined {
  const value = context.body[name];
  return typeof value === 'string' ? value : undefined;
}

export function readNumberField(context: RouteContext, name: string): number | undefined {
  const value = context.body[name];
  return typeof value === 'number' ? value : undefined;
}

/** Whether the client accepts the raw bytes of a file. */
export function acceptsRaw(context: RouteContext): boolean {
  return /application\/vnd\.github(\.v3)?\.raw\b/.test(context.accept);
}

/** Keeps the comments that were updated at or after `since`. */
export function filterUpdatedSince<Comment extends { readonly updatedAt: string }>(
  { query }: Pick<RepositoryRouteContext, 'query'>,
  comments: Iterable<Comment>,
): readonly Comment[] {
  const since = Date.parse(query['since'] ?? '');
  return [...comments].filter(({ updatedAt }) => Number.isNaN(since) || Date.parse(updatedAt) >= since);
}

export function parseReactionContent(value: unknown): FakeReactionContent | undefined {
  return REACTION_CONTENTS.find((content) => content === value);
}
