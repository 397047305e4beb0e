# Both services: docker build --target rest-to-kafka . and docker build --target kafka-to-mongo .
# What brings postings: docker build --target crawler .
FROM maven:3.9-eclipse-temurin-25 AS build
WORKDIR /src
# what Maven downloads: this layer is built anew only when a pom.xml has changed
COPY pom.xml ./
COPY contract/pom.xml contract/
COPY chassis/pom.xml chassis/
COPY rest-to-kafka/pom.xml rest-to-kafka/
COPY kafka-to-mongo/pom.xml kafka-to-mongo/
COPY crawler/pom.xml crawler/
COPY local-stack/pom.xml local-stack/
COPY test-kit/pom.xml test-kit/
COPY end-to-end/pom.xml end-to-end/
# a class in each module makes Maven resolve what its compiler needs
RUN for module in */; do mkdir -p $module/src/main/java && echo 'class Nothing { }' >$module/src/main/java/Nothing.java; done && \
    mvn -q -B -pl rest-to-kafka,kafka-to-mongo,crawler -am package -Dmaven.test.skip=true -Dspring-boot.repackage.skip \
      -Dspring-javaformat.validate.skip -Dcheckstyle.skip && \
    rm -r */target */src
COPY . .
RUN mvn -q -B -pl rest-to-kafka,kafka-to-mongo,crawler -am package -Dmaven.test.skip=true
RUN for service in rest-to-kafka kafka-to-mongo; do \
      java -Djarmode=tools -jar $service/target/$service.jar extract --layers --destination /layers/$service \
        --application-filename app.jar; \
    done

FROM eclipse-temurin:25-jre AS runtime
WORKDIR /app
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.version=$VERSION org.opencontainers.image.revision=$REVISION org.opencontainers.image.licenses=Apache-2.0
# one JSON object (Elastic Common Schema) per line
ENV LOGGING_STRUCTURED_FORMAT_CONSOLE=ecs
# glibc keeps 8 arenas a core otherwise, and Compose gives 384 MiB
ENV MALLOC_ARENA_MAX=2
# there is no curl in this image, but bash can speak HTTP, and without a port for operators no TLS
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s --retries=3 CMD ["bash", "-c", \
  "port=${MANAGEMENT_SERVER_PORT:-$SERVER_PORT} tls=$SERVER_SSL_BUNDLE; [ $port = $SERVER_PORT ] || tls=${MANAGEMENT_SERVER_SSL_ENABLED#false}; \
  exec 3<>/dev/tcp/127.0.0.1/$port && { [ -n \"$tls\" ] || { printf 'GET /actuator/health/readiness HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200'; }; }"]
# a cache of the classes, for the start
COPY local-stack/train.sh ./
# a third for the heap: code, metaspace and buffers take about 130 MiB beside it; half of that for what is young, so that a
# batch at work is not taken for what stays. The first heap has room for the 5 MB of objects in the cache, and is as large as a load
# makes it: only a full collection makes what is young grow. Java would stop for a full collection of 50 ms and more whenever 15 % of
# the room for code were filled; it does so when half are
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=33", "-XX:InitialHeapSize=76m", "-XX:+UseSerialGC", "-XX:NewRatio=1", "-XX:SurvivorRatio=3", \
  "-XX:ReservedCodeCacheSize=48m", "-XX:SweeperThreshold=100", "-XX:TrimNativeHeapInterval=5000", \
  "-Djdk.nio.maxCachedBufferSize=262144", "-XX:+ExitOnOutOfMemoryError", "-XX:AOTCache=app.aot", "-jar", "app.jar"]

FROM runtime AS rest-to-kafka
LABEL org.opencontainers.image.title=rest-to-kafka org.opencontainers.image.description="Takes jobs over HTTP and publishes them to Kafka"
ENV SERVER_PORT=9090
EXPOSE 9090
COPY --from=build /layers/rest-to-kafka/dependencies/ ./
COPY --from=build /layers/rest-to-kafka/application/ ./
RUN bash train.sh java app.jar app.aot
# no user of this number exists, and none needs to
USER 10001:10001

FROM runtime AS kafka-to-mongo
LABEL org.opencontainers.image.title=kafka-to-mongo org.opencontainers.image.description="Stores jobs from Kafka in MongoDB, each once"
ENV SERVER_PORT=9091
EXPOSE 9091
COPY --from=build /layers/kafka-to-mongo/dependencies/ ./
COPY --from=build /layers/kafka-to-mongo/application/ ./
RUN bash train.sh java app.jar app.aot
# no user of this number exists, and none needs to
USER 10001:10001

FROM eclipse-temurin:25-jre AS crawler
WORKDIR /app
LABEL org.opencontainers.image.title=crawler org.opencontainers.image.description="Reads the job postings of career pages" \
  org.opencontainers.image.licenses=Apache-2.0
COPY --from=build /src/crawler/target/crawler.jar ./
# a volume there is of the same owner
RUN mkdir /crawl && chown 10001:10001 /crawl
USER 10001:10001
ENV CRAWLER_STATE=/crawl
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=50", "-XX:+UseSerialGC", "-jar", "crawler.jar"]
