import { apiBaseUrl } from '../../adapters/github/requests/client.ts';
import { REGISTERED_EVENTS, REGISTERED_PERMISSIONS } from '../../core/step/app-rights.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';

/** A GitHub: github.com, a subdomain of ghe.com, or a server of one's own. */
export type GitHubSite = { readonly host: string; readonly protocol: 'http' | 'https' };

/** What a person chose on the page of `countersign setup`. */
export type Choice = {
  readonly name: string;
  /** Login of the organization that will own the App; null for the person's own account. */
  readonly organization: string | null;
};

/**
 * The address of the webhook of an App that hears from GitHub's log of deliveries. A host below `.invalid` can have no
 * owner, so the payloads that GitHub sends there are lost.
 */
export const NOBODYS_ADDRESS = 'https://countersign.invalid/';

/** The limit of GitHub. */
export const MAX_NAME_LENGTH = 34;

/** The name proposed for an App: GitHub wants one that no other App has. */
export function proposedName(account: string | null): string {
  return (account === null ? 'countersign' : `countersign-${account}`).slice(0, MAX_NAME_LENGTH);
}

type ManifestInput = {
  readonly name: string;
  /** Address that GitHub can reach; null for an App that hears from GitHub's log of deliveries. */
  readonly webhookUrl: string | null;
  /** Where GitHub sends the browser with the code. */
  readonly redirectUrl: string;
};

/** The registration of the App in the form of GitHub's App manifests. */
export function createManifest({ name, webhookUrl, redirectUrl }: ManifestInput): Readonly<Record<string, unknown>> {
  return {
    name,
    url: 'https://github.com/apps/countersign',
    description:
      'An AI coding agent inside pull requests that cannot change a byte without a person’s countersignature.',
    public: false,
    redirect_url: redirectUrl,
    hook_attributes: { url: webhookUrl ?? NOBODYS_ADDRESS, active: true },
    default_permissions: REGISTERED_PERMISSIONS,
    default_events: REGISTERED_EVENTS,
  };
}

/** The page of GitHub that takes a manifest. */
export function registrationUrl({ host, protocol }: GitHubSite, organization: string | null, state: string): string {
  const owner = organization === null ? '' : `organizations/${encodeURIComponent(organization)}/`;
  return `${protocol}://${host}/${owner}settings/apps/new?state=${encodeURIComponent(state)}`;
}

/** A registered App, as GitHub gives it once for a code. */
export type RegisteredApp = {
  readonly id: number;
  readonly slug: string;
  /** PEM of its private key. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** Its page on GitHub. */
  readonly url: string;
};

/** GitHub did not give the App for a code. The message says what to do. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError';
}

const TIMEOUT_MS = 15_000;

/** Exchanges the code of a registration for the App. A code works once, for an hour. Throws `RegistrationError`. */
export async function convertCode({ host, protocol }: GitHubSite, code: string): Promise<RegisteredApp> {
  const address = `${apiBaseUrl(host, protocol)}/app-manifests/${encodeURIComponent(code)}/conversions`;
  const response = await sendConversion(address, host);
  if (response.status === 404 || response.status === 422)
    throw new RegistrationError(
      'GitHub does not know this code: it works once, and for an hour. Run countersign setup again; if the App was made, delete it on its page first, or register it by hand.',
    );
  if (!response.ok)
    throw new RegistrationError(`GitHub answered with status ${response.status}. Try again in a minute.`);
  const app = readApp(parseJson(await response.text()));
  if (app === null) throw new RegistrationError(`${host} does not answer as GitHub does. Check --ghe.`);
  return app;
}

async function sendConversion(address: string, host: string): Promise<Response> {
  const headers = { accept: 'application/vnd.github+json', 'user-agent': 'countersign' };
  try {
    return await fetch(address, {
      method: 'POST',
      headers,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new RegistrationError(`${host} cannot be reached (${cause}). Check the network, then use --code.`);
  }
}

function readApp(answer: unknown): RegisteredApp | null {
  if (!isRecord(answer)) return null;
  const { id, slug, pem, webhook_secret: secret, html_url: url } = answer;
  const isComplete = typeof id === 'number' && [slug, pem, secret, url].every((text) => typeof text === 'string');
  return isComplete
    ? { id, slug: String(slug), privateKey: String(pem), webhookSecret: String(secret), url: String(url) }
    : null;
}
