# Build: TypeScript in, JavaScript out.
FROM node:20-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0 AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY src src
COPY projections projections
COPY infra infra
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

# Run: only Node, what was built, and an unprivileged account. DATABASE_URL is expected; without it the embedded Postgres runs in /data,
# under the same account.
FROM node:20-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0
ENV NODE_ENV=production HOST=0.0.0.0 SAVEPOINT_DATA=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist
COPY --from=build /app/node_modules node_modules
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD node -e "fetch('http://127.0.0.1:'+(process.env.PORT||8080)+'/health').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"
ENTRYPOINT ["node", "--max-semi-space-size=32", "--initial-old-space-size=128", "--heap-growing-percent=100", "bin/savepoint.js"]
CMD ["start", "--no-demo"]
