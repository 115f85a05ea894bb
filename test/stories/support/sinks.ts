import type { Stage } from './stage.ts';

/** All output and stored data of the App, by its place. */
export async function sinksOf(stage: Stage): Promise<Readonly<Record<string, string>>> {
  const pages = ['/healthz', '/readyz', '/metrics', '/'].map(async (path) => {
    const response = await fetch(`${stage.server().url}${path}`);
    return response.text();
  });
  return {
    log: stage.logged.join(''),
    database: await stage.database(),
    GitHub: stage.github.requests.map(({ target, body }) => `${target} ${JSON.stringify(body)}`).join('\n'),
    model: stage.model.requests.map(({ body }) => JSON.stringify(body)).join('\n'),
    'HTTP answers': (await Promise.all(pages)).join(''),
  };
}

/** The secrets that no output may contain: the lines of the App's key, its secrets, and every token it was given. */
export function secretsOf({ github }: Pick<Stage, 'github'>): readonly string[] {
  const { privateKeyPem, webhookSecret } = github.app;
  const lines = privateKeyPem.split('\n').filter((line) => line.length > 40);
  return ['model-key', webhookSecret, ...lines, ...github.apiServer.serverState().tokens.keys()];
}

/** JWTs, authorization headers and tokens of GitHub. */
const SHAPES = /eyJ[\w-]{8,}\.|[Bb]earer \S|gh[a-z]_\w{10}/;

/** The places that contain a secret, described without the secret. */
export async function leaksOf(stage: Stage): Promise<readonly string[]> {
  const secrets = secretsOf(stage);
  return Object.entries(await sinksOf(stage)).flatMap(([sink, text]) => [
    ...secrets.flatMap((secret, place) => (text.includes(secret) ? [`secret ${place} is in: ${sink}`] : [])),
    ...(SHAPES.test(text) ? [`a text like a credential is in: ${sink}`] : []),
  ]);
}
