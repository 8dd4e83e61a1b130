FROM node:26-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-fund --no-audit
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
COPY web web
# The image has a Node of its own and never builds again, so the one that npm brought and the bundler stay behind.
RUN npm run build -- --smallest && rm -rf node_modules/node-linux-* node_modules/.bin node_modules/rolldown node_modules/@rolldown node_modules/@oxc-project

FROM node:26-bookworm-slim
RUN useradd --system --uid 10001 --home-dir /data gatehouse && install -d -m 700 -o gatehouse -g gatehouse /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/scripts scripts
COPY --from=build /app/web/static web/static
COPY --from=build /app/web/api-browser web/api-browser
# Writable, since V8 keeps its compiled code beside the bundle.
COPY --from=build --chown=gatehouse:gatehouse /app/dist dist
ENV NODE_ENV=production HOST=0.0.0.0 PORT=9000 GATEHOUSE_DATA_DIR=/data
USER gatehouse
VOLUME /data
EXPOSE 9000
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s CMD ["node", "/app/scripts/health.mjs"]
# As `npm start` has it: room for what is young that V8 would take and not give back.
ENTRYPOINT ["node", "--max-semi-space-size=8", "/app/scripts/gatehouse.mjs"]
CMD ["serve"]
