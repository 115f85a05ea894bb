# The tested version of Node. A tag can move. For the exact same image, add its digest:
# docker build --build-arg NODE=node:24.21.0-slim@sha256:… .
ARG NODE=node:24.21.0-slim

# The packages beside the bundle. They and the bundle are the same on all platforms.
FROM --platform=$BUILDPLATFORM ${NODE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

# The bundle with the code of all other packages, and the prepared database.
FROM dependencies AS build
# A bill of materials lists the packages that are bundled here, and the tools.
ARG BUILDKIT_SBOM_SCAN_STAGE=true
RUN npm ci --ignore-scripts
COPY src ./src
COPY demo ./demo
COPY fakes ./fakes
COPY scripts/build.ts scripts/prepare-database.ts ./scripts/
RUN node scripts/build.ts

FROM ${NODE}
# The demo and `countersign verify` call git. A running container needs no package managers.
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/* \
  && rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* \
  && install -d -m 700 -o node -g node /data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY bin ./bin
ENV NODE_ENV=production DATA_DIR=/data PORT=3000
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# No shell or npm in between, so that SIGTERM reaches the process.
ENTRYPOINT ["node", "bin/countersign.js"]
CMD ["start"]
