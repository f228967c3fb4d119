# toolcrib in an image without a shell, as a user without rights.
#
#   docker build -t toolcrib .
#   docker run --rm toolcrib version
#   docker run --rm -v "$PWD:/work:ro" toolcrib check --lock toolcrib.lock --code tools.json
#   docker run --rm -i -v toolcrib:/home/nonroot toolcrib mcp --expose tools
#
# The registry and the configuration are below /home/nonroot: mount a volume there to
# keep them. Servers that are programs, such as npx, are not in the image; reach them
# by their url.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X toolcrib/cli/process.release=${VERSION}" -o /toolcrib . \
 && mkdir -p /home/nonroot /work

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /toolcrib /usr/local/bin/toolcrib
COPY --from=build --chown=65532:65532 /home/nonroot /home/nonroot
COPY --from=build --chown=65532:65532 /work /work
ENV HOME=/home/nonroot
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/usr/local/bin/toolcrib"]
CMD ["help"]
