import { z } from 'zod';
import type { AppSetup } from '../../core/state/app-setup.ts';
import { GitHubError } from '../../core/state/ports.ts';
import type { GitHubClient } from './client.ts';
import { allItems, PAGES } from './connection.ts';
import { toGitHubError } from './errors.ts';

/** Creates the reader of the App's registration and installations: one request, and one per 100 installations. */
export function createSetupReader(app: GitHubClient, site: string, now: () => number): () => Promise<AppSetup> {
  return async () => {
    try {
      return await fetchSetup(app, site);
    } catch (error) {
      throw toGitHubError(error, now());
    }
  };
}

const Grant = z.object({ permissions: z.record(z.string(), z.unknown()), events: z.array(z.string()) });

/** An organization, a person, or an enterprise, which has no login. */
const Account = z.union([
  z.object({ login: z.string(), type: z.string().catch('User') }),
  z.object({ slug: z.string() }).transform(({ slug }) => ({ login: slug, type: 'Enterprise' })),
]);

const RegisteredApp = Grant.extend({ slug: z.string(), html_url: z.string(), owner: Account });

const ListedInstallation = Grant.extend({
  account: Account.nullable(),
  html_url: z.string(),
  suspended_at: z.string().nullish(),
}).transform(({ account, html_url: url, suspended_at: suspendedAt, ...grant }) => ({
  ...grant,
  account: account?.login ?? '',
  url,
  isSuspended: suspendedAt != null,
}));

async function fetchSetup(app: GitHubClient, site: string): Promise<AppSetup> {
  const { data } = await app.rest.apps.getAuthenticated();
  const registered = RegisteredApp.safeParse(data);
  const listed: unknown = await app.paginate(app.rest.apps.listInstallations, PAGES, allItems());
  const installations = z.array(ListedInstallation).safeParse(listed);
  if (!registered.success || !installations.success)
    throw new GitHubError('GitHub returned the App or its installations in an unknown form', null, null);
  const { permissions, events, html_url: appUrl } = registered.data;
  return {
    ...{ permissions, events },
    settingsUrl: settingsUrl(registered.data, site),
    installUrl: `${appUrl}/installations/new`,
    installations: installations.data,
  };
}

function settingsUrl({ slug, html_url: appUrl, owner }: z.infer<typeof RegisteredApp>, site: string): string {
  if (owner.type === 'Enterprise') return appUrl;
  const prefix = owner.type === 'Organization' ? `/organizations/${owner.login}` : '';
  return `${site}${prefix}/settings/apps/${slug}/permissions`;
}
