// The container's health check: the image has Node and no curl.
const answer = await fetch(`http://127.0.0.1:${process.env.PORT || 9000}/-/health/live/`).catch((error) => error);
if (!answer.ok) {
  console.error(`not healthy: ${answer.status ?? answer.message}`);
  process.exitCode = 1;
}
